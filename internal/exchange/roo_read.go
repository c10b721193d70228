package exchange

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// rooFolder is a task folder, read.
type rooFolder struct {
	task    rooTask
	ui      []rooMessage
	uiAt    []int // index in the file of each message
	api     []rooTurn
	apiAt   []int
	apiFile string
	alone   bool // there is no model history, or nothing of it can be read
}

func readRoo(_ context.Context, src Source, o Options) (*Incoming, error) {
	f, err := openFolder(src, rooNames, o.Limits)
	if err != nil {
		return nil, err
	}
	report := &Report{}
	t := rooFolder{apiFile: rooAPI}
	if name, ok := f.first(rooItemNames...); ok {
		f.read(name, report, func(r io.Reader) {
			if err := json.NewDecoder(r).Decode(&t.task); err != nil {
				report.Add(name, "it cannot be read: %v", err)
			}
		})
	}
	if f.files[rooUI] != nil {
		f.read(rooUI, report, func(r io.Reader) { t.readUI(r, o.Limits, report) })
	}
	name, ok := f.first(rooAPINames...)
	t.alone = !ok
	if ok {
		t.apiFile = name
		before := len(report.Problems)
		f.read(name, report, func(r io.Reader) { t.readAPI(r, name, o.Limits, report) })
		t.alone = len(t.api) == 0 && len(report.Problems) > before
	}
	if !ok && f.files[rooUI] == nil {
		return nil, refuse("this is no task folder: it holds neither %s nor %s", rooUI, rooAPI)
	}
	if t.task.ID == "" {
		t.task.ID = path.Base(f.name)
	}
	d := t.draft(o, report)
	m := merge{rooFolder: &t, draft: d, matches: t.match()}
	m.run()
	return d.incoming(t.task.ID, o.Limits)
}

func (t *rooFolder) readUI(r io.Reader, l Limits, report *Report) {
	elements(r, rooUI, l, report, func(i int, raw json.RawMessage) error {
		var m rooMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			return err
		}
		if err := m.mend(); err != nil {
			return err
		}
		t.ui, t.uiAt = append(t.ui, m), append(t.uiAt, i)
		return nil
	})
}

// mend refuses what is no message.
func (m *rooMessage) mend() error {
	switch {
	case m.Type == protocol.KindAsk && m.Ask != "":
		m.Say = ""
	case m.Type == protocol.KindSay && m.Say != "":
		m.Ask = ""
	default:
		return fmt.Errorf("a message is an ask or a say; this is type %.20q, ask %.20q, say %.20q", m.Type, m.Ask, m.Say)
	}
	m.Message.Ts = millis(m.Ts)
	return nil
}

// millis gives a number as milliseconds; 0 for what is no time.
func millis(n float64) int64 {
	if math.IsNaN(n) || n < 0 || n > float64(lastTs) {
		return 0
	}
	return int64(n)
}

func (t *rooFolder) readAPI(r io.Reader, file string, l Limits, report *Report) {
	elements(r, file, l, report, func(i int, raw json.RawMessage) error {
		var turn rooTurn
		if err := json.Unmarshal(raw, &turn); err != nil {
			return err
		}
		switch {
		case turn.Type == "reasoning":
			return fmt.Errorf("sealed reasoning of another program's model means nothing here")
		case turn.Role != "user" && turn.Role != "assistant":
			return fmt.Errorf("nobody says it: the role is %.20q", turn.Role)
		}
		t.api, t.apiAt = append(t.api, turn), append(t.apiAt, i)
		return nil
	})
}

// draft begins the session.
func (t *rooFolder) draft(o Options, report *Report) *draft {
	title := t.task.Task
	began := o.Now
	if len(t.ui) > 0 {
		if title == "" {
			title = t.ui[0].Text
		}
		if ts := t.ui[0].Message.Ts; ts > 0 && ts < lastTs {
			began = time.UnixMilli(ts)
		}
	} else if len(t.api) > 0 {
		if ts := millis(t.api[0].Ts); ts > 0 && ts < lastTs {
			began = time.UnixMilli(ts)
		}
	}
	return newDraft(began, protocol.SessionCreated{
		Title: title, Mode: t.task.Mode, Workspace: t.task.Workspace, ImportedFrom: originOf(Roo, t.task.ID),
	}, report)
}
