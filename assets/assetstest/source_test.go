package assetstest_test

import (
	"errors"
	"io/fs"
	"testing"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

func TestSource_FaultsOneOpeningEach(t *testing.T) {
	s := assetstest.NewSource("m")
	s.SetText("a", "0123456789")
	s.Script("a",
		assetstest.Fault{Kind: assetstest.FaultOpen},
		assetstest.Fault{Kind: assetstest.FaultShort, At: 4},
		assetstest.Fault{Kind: assetstest.FaultRead, At: 4},
		assetstest.Fault{Kind: assetstest.FaultCorrupt, At: 2})
	if _, err := s.Open("a"); !errors.Is(err, assetstest.ErrInjected) {
		t.Error(err)
	}
	for _, want := range []string{"0123", "0123", "01\xcd3456789", "0123456789"} {
		e, err := s.Open("a")
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 10)
		n, err := e.ReadAt(buf, 0)
		if string(buf[:n]) != want || (err == nil) != (n == 10) {
			t.Errorf("read %q, %v", buf[:n], err)
		}
		if err := e.Close(); err != nil || e.Close() == nil {
			t.Error("closing", err)
		}
	}
	if _, err := s.Open("b"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if c := s.Counts(); c.Opens != 6 || c.Misses != 1 || c.Reads != 4 || c.Bytes != 28 || c.Entries != 0 {
		t.Errorf("%+v", c)
	}
	if r := s.Ranges("a"); len(r) != 4 || r[0] != (assetstest.Range{Off: 0, N: 10}) {
		t.Errorf("%v", r)
	}
}

func TestSource_LeasesAndClose(t *testing.T) {
	s := assetstest.NewSource("m")
	s.SetMappable(true)
	s.SetText("a", "0123456789")
	e, _ := s.Open("a")
	l, ok := e.Map(2, 3)
	if _, tooFar := e.Map(8, 3); !ok || tooFar {
		t.Fatal("mapping")
	}
	s.SetText("a", "replaced")
	s.Hold("a")
	done := make(chan error)
	go func() { _, err := e.ReadAt(make([]byte, 1), 0); done <- err }()
	s.WaitHeld("a")
	if s.Held("a") != 1 {
		t.Error("nothing is held")
	}
	_ = s.Close()
	if err := <-done; !errors.Is(err, assets.ErrClosed) {
		t.Error(err)
	}
	if _, err := s.Open("a"); !errors.Is(err, assets.ErrClosed) || string(l.Bytes()) != "234" {
		t.Error(err)
	}
	l.Release()
	l.Release()
	_ = e.Close()
	if c := s.Counts(); c.Leases != 0 || c.Released != 1 || c.Entries != 0 {
		t.Errorf("%+v", c)
	}
	s.WaitHeld("a")
	s.LetGo("a")
	names := 0
	_ = s.List(func(name string, size int64) bool { names++; return name == "a" && size == 8 })
	if names != 1 {
		t.Error("list")
	}
}
