package assets_test

import (
	"context"
	"fmt"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

// A tool loads one asset, reads it and lets it go.
func ExampleRetainOne() {
	src := assetstest.NewSource("memory")
	src.SetText("greeting.txt", "good morning")
	store, err := assets.Open(assets.Options{
		Kinds:   []assets.KindSpec{assetstest.TextKind(assets.KindBlob, "text", ".txt")},
		Sources: []assets.Source{src},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	texts := assets.Of[assetstest.Text](store, assets.KindBlob)
	one, err := assets.RetainOne(context.Background(), texts, "greeting")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(one.Get())
	one.Release()
	fmt.Println(store.Close())
	// Output:
	// good morning
	// <nil>
}
