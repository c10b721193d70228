package index

import "unicode/utf8"

// kin is what a session has to do with those it hands work to, and what came
// of it, as far as its visible records tell.
type kin struct {
	awaiting    string // the child whose answer it waits for
	completedBy string // the last child that answered
	result      string // how its last answer begins
}

const (
	awaitedChild   = "SELECT child FROM facts INDEXED BY facts_child WHERE session = ? AND child IS NOT NULL AND store_shown AND store_over IS NULL ORDER BY seq DESC LIMIT 1"
	completedChild = "SELECT child FROM facts INDEXED BY facts_child WHERE session = ? AND child IS NOT NULL AND store_shown AND store_over IS NOT NULL ORDER BY seq DESC LIMIT 1"
	lastResult     = "SELECT result FROM facts INDEXED BY facts_result WHERE session = ? AND result IS NOT NULL AND store_shown ORDER BY seq DESC LIMIT 1"
)

// relate reads it from the facts.
func (st *store) relate(r *row) error {
	r.kin = kin{}
	for query, to := range map[string]*string{
		awaitedChild: &r.kin.awaiting, completedChild: &r.kin.completedBy, lastResult: &r.kin.result,
	} {
		if _, err := found(st.queryRow(query, r.key).Scan(to)); err != nil {
			return err
		}
	}
	return nil
}

// firstCharacters is as much of an answer as a list shows.
func firstCharacters(text string) string {
	const most = 500
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most])
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
