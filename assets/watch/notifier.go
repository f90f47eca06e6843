package watch

import "github.com/fsnotify/fsnotify"

// system is the system's own notifications.
type system struct{ w *fsnotify.Watcher }

func systemNotifier() (Notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return system{w}, nil
}

func (s system) Add(folder string) error       { return s.w.Add(folder) }
func (s system) Events() <-chan fsnotify.Event { return s.w.Events }
func (s system) Errors() <-chan error          { return s.w.Errors }
func (s system) Close() error                  { return s.w.Close() }
