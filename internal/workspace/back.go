package workspace

import (
	"slices"
)

// past is what steps did to a path.
type past struct {
	parts []part
	block KeptReason // it cannot go back further
}

// part is an unbroken row of changes, oldest first.
type part struct{ before, after version }

// add joins a change to the row before it if nothing happened in between.
func (a *past) add(before, after version) {
	if n := len(a.parts); n > 0 && a.parts[n-1].after == before {
		a.parts[n-1].after = after
		return
	}
	a.parts = append(a.parts, part{before, after})
}

// back takes changes back from what is there now, the last first. What a person
// changed in between is merged, or ok is false.
func (p *planner) back(now version, parts []part) (v version, merged, ok bool, err error) {
	v = now
	for _, part := range slices.Backward(parts) {
		perm := v.perm
		if v.perm == part.after.perm || !v.there() {
			perm = part.before.perm
		}
		switch {
		case v.content() == part.after.content():
			v = part.before
		case v.content() == part.before.content(): // it is back already
		default:
			clean, err := p.mergeInto(&v, part)
			if err != nil || !clean {
				return now, false, false, err
			}
			merged = true
		}
		if v.kind == regular {
			v.perm = perm
		}
	}
	return v, merged, true, nil
}

func (p *planner) mergeInto(v *version, part part) (bool, error) {
	if v.kind != regular || part.before.kind != regular || part.after.kind != regular {
		return false, nil
	}
	var texts [3][]byte
	for i, o := range []oid{v.oid, part.after.oid, part.before.oid} {
		text, err := p.content(o)
		if err != nil || int64(len(text)) > p.store.limits.Merge {
			return false, err
		}
		texts[i] = text
	}
	merged, clean, err := p.merge(texts[0], texts[1], texts[2])
	if err != nil || !clean {
		return false, err
	}
	v.oid = blobOID(merged)
	p.fresh[v.oid] = merged
	return true, nil
}

func (p *planner) content(o oid) ([]byte, error) {
	if text, ok := p.fresh[o]; ok {
		return text, nil
	}
	return p.batch.blob(o)
}
