# Two commands do all the set-up: make demo, make test.

.PHONY: help demo test mutants bench cook setup clean

help: ## what there is
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1|/' | column -t -s'|'
	@echo
	@echo '  make demo ARGS="--fly 60"      flags for the demo (go run ./cmd/demo hallway --help)'
	@echo '  make cook IN=my/art OUT=my.zip cook a folder, then: make demo ARGS="--content my.zip"'
	@echo '  make bench NAME=store          a part of the benchmarks'

demo: ## fly the streaming hallway (without a display: pictures and a report)
	@sh scripts/setup.sh
	@ARGS='$(ARGS)' sh scripts/demo.sh

test: ## everything that must hold before a change goes in
	@sh scripts/setup.sh test
	@sh scripts/test.sh

mutants: ## break a copy of the store in many ways: the tests must notice each
	@go run scripts/mutants/main.go $(ONLY)

bench: ## benchmarks, one line per comparison, and out/bench.json
	@mkdir -p out
	@cd bench && go run . -out ../out/bench.json -name '$(NAME)'

IN ?= out/content
OUT ?= out/cooked.zip

cook: ## cook a folder of source art into a pack
	@mkdir -p $(dir $(OUT))
	@go run ./cmd/cook -o $(OUT) $(IN)

setup: ## install what is missing (apt, as root or with sudo)
	@sh scripts/setup.sh test

clean: ## remove what was built and generated
	rm -rf out
