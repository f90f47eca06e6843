// Command alone uses the store by itself: no ECS, no device, no frame.
//
//	go run ./demos/alone FOLDER FILE...
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"sojourn/assets"
	"sojourn/assets/kinds"
	"sojourn/assets/loose"
)

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: alone FOLDER FILE...")
	}
	check(show(os.Stdout, os.Args[1], os.Args[2:]))
}

func show(out io.Writer, folder string, files []string) error {
	dir, err := loose.Dir(folder)
	check(err)
	store, err := assets.Open(assets.Options{Kinds: kinds.Builtin(), Sources: []assets.Source{dir}})
	check(err)
	var keys []assets.Key
	for _, file := range files {
		keys = append(keys, assets.Key{Stem: file, Kind: assets.KindBlob})
	}
	set, err := store.RequestSet("show", 0, keys...) // workers load; a game would poll
	check(err)
	check(set.Wait(context.Background()))
	blobs := assets.Of[assets.Blob](store, assets.KindBlob)
	for i, h := range set.Handles() {
		if blob := blobs.At(h); blob != nil { // nil: see set.Failures
			fmt.Fprintf(out, "%s: %d bytes\n", keys[i].Stem, blob.Data.Len())
		}
	}
	for _, f := range set.Failures() {
		fmt.Fprintln(out, f.Err)
	}
	set.Release()        // the last holder: freed here
	return store.Close() // an error would name what is still held
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
