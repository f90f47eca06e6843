package tracetest

import (
	"strings"
	"testing"
)

// TestCheckFinds: what the check is for, each by one trace that has it.
func TestCheckFinds(t *testing.T) {
	const names = `{"name":"process_name","ph":"M","ts":0,"pid":1,"tid":0,"args":{"name":"s"}},` +
		`{"name":"thread_name","ph":"M","ts":0,"pid":1,"tid":1,"args":{"name":"game"}},`
	for says, events := range map[string]string{
		"":                  names + `{"name":"a","ph":"X","ts":1,"dur":3,"pid":1,"tid":1},{"name":"b","ph":"X","ts":2,"dur":2,"pid":1,"tid":1},{"name":"c","ph":"X","ts":4,"dur":1,"pid":1,"tid":1}`,
		"no name":           `{"ph":"i","ts":1,"pid":1,"tid":1}`,
		"phase is none":     `{"name":"a","ph":"B","ts":1,"pid":1,"tid":1}`,
		"no time":           `{"name":"a","ph":"i","pid":1,"tid":1,"s":"t"}`,
		"no track":          `{"name":"a","ph":"i","ts":1,"pid":1,"s":"t"}`,
		"negative one":      names + `{"name":"a","ph":"X","ts":1,"dur":-1,"pid":1,"tid":1}`,
		"without a dur":     names + `{"name":"a","ph":"X","ts":1,"pid":1,"tid":1}`,
		"of scope":          names + `{"name":"a","ph":"i","ts":1,"pid":1,"tid":1}`,
		"without a value":   names + `{"name":"a","ph":"C","ts":1,"pid":1,"tid":1}`,
		"is no number":      names + `{"name":"a","ph":"C","ts":1,"pid":1,"tid":1,"args":{"value":"x"}}`,
		"no metadata":       `{"name":"a","ph":"X","ts":1,"dur":1,"pid":1,"tid":1}`,
		"reaches out of a ": names + `{"name":"a","ph":"X","ts":1,"dur":3,"pid":1,"tid":1},{"name":"b","ph":"X","ts":2,"dur":3,"pid":1,"tid":1}`,
	} {
		_, err := Check(strings.NewReader(`{"traceEvents":[` + events + `]}`))
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%q: %v", says, err)
		}
	}
	for _, text := range []string{"", "[]", `{"traceEvents":[]} more`} {
		if _, err := Check(strings.NewReader(text)); err == nil {
			t.Errorf("%q passed", text)
		}
	}
}
