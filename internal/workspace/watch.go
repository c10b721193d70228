package workspace

import (
	"time"
)

// A watch hears from the system in which folders of a workspace something happened,
// so that a scan need look at these only. What it knows counts for one manifest and from
// one scan of everything on; whenever anything is in doubt, everything is looked at
// once more. Watches are kept on Linux; elsewhere newWatch refuses, and every scan is
// a whole one.

const (
	// wholeAfter is how old a scan of everything may become. Some changes are not told:
	// those through a mapping that stays open, and through a hard link that somebody
	// made outside since. Looking at everything costs as little as it always did, so
	// it is done often enough that such a change is missed for minutes at most.
	wholeAfter = 5 * time.Minute
	// watchIdle is how long a watch stays without a save: it holds memory of the
	// kernel, and after wholeAfter it is of little use.
	watchIdle = 10 * time.Minute
	// From this many folders on, one after the other is slower than all of them by
	// several goroutines, if they are a good part of all.
	muchUnrest = 256
)

// unrest is a list of folders to look at; true means with everything below.
type unrest map[string]bool

func (u unrest) add(folder string, deep bool) { u[folder] = u[folder] || deep }

// disturbed gives the folders that a scan has to look at. If known is false, it has to
// look at everything.
func (s *scan) disturbed() (list unrest, known bool) {
	if s.watch = s.listen(); s.watch == nil {
		return nil, false
	}
	list, known = s.watch.disturbed(s.root)
	if !known || s.fresh || s.m.restless == nil || time.Since(s.watch.whole) > wholeAfter {
		return nil, false
	}
	for folder, deep := range s.m.restless {
		list.add(folder, deep)
	}
	many := len(list) > muchUnrest && len(list) > s.watch.size()/4
	return list, !many && !list[""]
}

// listen gives the watch of the workspace, and makes it if there is none.
func (w *Workspace) listen() *watch {
	if w.watch != nil || w.unheard || !w.store.watching {
		return w.watch
	}
	watch, err := newWatch(w.folder, &w.store.watches)
	if err != nil {
		w.deafen(err)
		return nil
	}
	w.watch = watch
	w.idle = time.AfterFunc(watchIdle, w.doze)
	return watch
}

// deafen does without a watch from now on.
func (w *Workspace) deafen(err error) {
	w.stopWatch()
	w.unheard = true
	w.store.log.Info("checkpoints of this folder look at every file each time", "folder", w.folder, "err", err)
}

func (w *Workspace) stopWatch() {
	if w.watch == nil {
		return
	}
	w.idle.Stop()
	w.watch.close()
	w.watch = nil
}

// doze ends the watch if nobody has saved for a while.
func (w *Workspace) doze() {
	w.turn <- struct{}{}
	defer func() { <-w.turn }()
	if w.watch == nil {
		return
	}
	if left := watchIdle - w.store.now().Sub(w.used); left > 0 {
		w.idle.Reset(left)
		return
	}
	w.stopWatch()
}
