package hallway
import ("testing";"time";"sojourn";"sojourn/demos/demo";"sojourn/gpu/headless";"runtime";"runtime/pprof";"os";"fmt")
func TestZZ(t *testing.T){
 //
 d,err:=Open(demo.Env{Device:headless.New(headless.Options{}),Config:sojourn.DefaultConfig(),Seed:1,CacheDir:"../../out/content"})
 if err!=nil{t.Fatal(err)}
 var hist []uint64
 for i:= range 2000 { if i==100 { runtime.MemProfileRate=1; runtime.GC(); f,_:=os.Create("/tmp/base.prof"); pprof.Lookup("allocs").WriteTo(f,0); f.Close() }
  var a,b runtime.MemStats; runtime.ReadMemStats(&a)
  d.Tick(demo.Input{},time.Second/60);
  runtime.ReadMemStats(&b); hist=append(hist,b.TotalAlloc-a.TotalAlloc)
  d.Present(nil); 
 for end := time.Now().Add(2 * time.Millisecond); time.Now().Before(end); {
		if s := d.Session().Store().Stats(); s.QueueLen == 0 && s.InFlightBytes == 0 { break }
		time.Sleep(100 * time.Microsecond)
	} }
 runtime.GC(); runtime.GC(); f,_:=os.Create("/tmp/a.prof"); pprof.Lookup("allocs").WriteTo(f,0); f.Close()
 n:=0; for i,h:=range hist { if h>16384 {n++; fmt.Print(i,":",h," ") } }
 fmt.Println(n, len(hist))
}
