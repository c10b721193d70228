// Package workspace keeps the files of a folder as checkpoints, says what
// changed between two of them, and takes back what agents changed.
//
// A checkpoint is a commit in a shadow git repository that lies in the data
// folder, one for each workspace folder, whatever sessions work in it. Git sees
// objects only: this package lists, reads and writes the files itself, so no
// configuration, attribute, filter or hook of the folder ever has a say.
//
// What it promises:
//
//   - A checkpoint that Save returned is on disk. One that was cut off leaves
//     the checkpoints before it as they were.
//   - Nothing is written in the folder but by Restore, and Restore touches only
//     paths that one of its steps changed. What else lies there, ignored files,
//     files that were not captured and files that a person edited, stays as it
//     is and is reported.
//   - Nothing that was displaced is gone: what a restore touches is in a checkpoint
//     from just before, and the displaced files themselves wait in a trash.
//   - One writer at a time for each folder, also across processes.
//   - After a crash at any moment the repository is usable and every file is
//     either as before or as after.
//
// What it refuses: folders that are no place for an agent's undo (the home
// folder, the system's folders: *ProtectedError), and guessing. A file it could
// not read, a scan that ran out of time, a version that was not captured: each
// is named, and never taken for "was not there".
//
// # How to use it
//
//	store, err := workspace.Open(workspace.Options{Dir: filepath.Join(data, "checkpoints"), Avoid: []string{data}})
//	w, err := store.Of(ctx, folder)
//
//	// Around a tool that names its files, which are kept even if they are ignored:
//	save := workspace.Save{Session: session, Reason: "write_file", Paths: []string{"a.go"}}
//	_, err = w.Begin(ctx, call, save)
//	... the tool runs ...
//	from, after, err := w.End(ctx, call, save)
//	step := workspace.Step{Before: from, After: after.Hash, Paths: save.Paths}
//	... the step is written down ...
//	w.Recorded(session, call)
//
//	// Around anything else (a shell command): both without Paths, which scans.
//
//	// Back to where the first of some steps began:
//	plan, err := w.Preview(ctx, workspace.Restore{Session: session, Steps: steps})
//	done, err := w.Restore(ctx, workspace.Restore{Session: session, Steps: steps})
//	// And forth again:
//	_, err = w.Restore(ctx, done.Undo())
//
// Now and then, when nobody waits: store.Tend. With retention: store.GC.
//
// Paths are relative to the folder, with slashes, in the bytes the file system
// has: they need not be UTF-8.
package workspace
