package watch

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// saveStyles save text over a file as editors and exporters do. pause is where
// they let time pass.
var saveStyles = map[string]func(path, text string, pause func()) error{
	"slow-write": func(path, text string, pause func()) error {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := f.Truncate(0); err != nil {
			return err
		}
		if _, err := f.WriteString(text[:len(text)/2]); err != nil {
			return err
		}
		pause()
		_, err = f.WriteString(text[len(text)/2:])
		return err
	},
	"temp-rename": func(path, text string, _ func()) error { return tempRename(path, text) },
	"backup-rename": func(path, text string, pause func()) error {
		if err := os.Rename(path, path+"~"); err != nil {
			return err
		}
		pause()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
		return os.Remove(path + "~")
	},
	"rapid": func(path, text string, pause func()) error {
		old, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i := range 24 {
			s := text
			if i%2 == 1 {
				s = string(old)
			}
			if err := tempRename(path, s); err != nil {
				return err
			}
			pause()
		}
		return tempRename(path, text)
	},
}

func tempRename(path, text string) error {
	f, err := os.Create(path + ".tmp~")
	if err != nil {
		return err
	}
	if _, err = f.WriteString(text); err == nil {
		err = f.Sync()
	}
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err != nil {
		return err
	}
	return os.Rename(path+".tmp~", path)
}

// Every style of saving, three times in a row, with the system's own
// notifications: each save is seen, and only whole.
func TestCaseA06_EverySaveIsSeen(t *testing.T) {
	for style, save := range saveStyles {
		for _, notify := range []string{"system", "comparing"} {
			t.Run(style+"/"+notify, func(t *testing.T) {
				var fake *fakeNotifier
				if notify == "comparing" {
					fake = newFake()
					fake.addErr = func(string) error { return os.ErrPermission }
				}
				b := start(t, fake, "sub/asset.png")
				if err := b.w.Trouble(); (err != nil) != (notify == "comparing") {
					t.Skipf("no notifications here: %v", err)
				}
				deadline := time.After(20 * time.Second)
				before := "as it was"
				for i := range 3 {
					// Lengths differ, as saves within one tick of the file system's
					// clock are told apart by size alone.
					text := fmt.Sprintf("save %d%s, whole, of %s and no less", i, strings.Repeat("!", i), style)
					// One look falls into each pause.
					if err := save(b.path("sub/asset.png"), text, func() { b.look(1) }); err != nil {
						t.Fatal(err)
					}
					b.awaitWhole(deadline, before, text)
					before = text
				}
			})
		}
	}
}

// awaitWhole looks until the save is reported, and checks that whatever was
// reported on the way was whole: the content before, or the new one.
func (b *bench) awaitWhole(deadline <-chan time.Time, before, text string) {
	b.Helper()
	for {
		select {
		case b.looks <- time.Time{}:
		case <-deadline:
			b.Fatalf("the save %q was not reported", text)
		}
		for _, name := range b.w.Changes(nil) {
			if name != "sub/asset.png" {
				b.Errorf("%s was reported", name)
			}
			if got, err := os.ReadFile(b.path(name)); err == nil && string(got) == text {
				return
			} else if err != nil || string(got) != before {
				b.Errorf("reported when it held %q (%v)", got, err)
			}
		}
	}
}

func TestWatcher_RealFoldersMadeLater(t *testing.T) {
	b := start(t, nil)
	if err := b.w.Trouble(); err != nil {
		t.Skipf("no notifications here: %v", err)
	}
	deadline := time.After(20 * time.Second)
	for i, name := range []string{"n/e/w/a.png", "n/e/w/b.png", "n/c.png"} {
		b.write(name, fmt.Sprint("text", i))
		for seen := false; !seen; {
			select {
			case b.looks <- time.Time{}:
			case <-deadline:
				t.Fatalf("%s was not reported", name)
			}
			for _, got := range b.w.Changes(nil) {
				seen = seen || got == name
			}
		}
	}
}
