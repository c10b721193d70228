package agent

import (
	"context"
	"fmt"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/protocol"
)

// afford asks a person before a call, if the work has cost more than a budget
// allows. wait is true if it has to wait for the answer.
func (a *Agent) afford(ctx context.Context, w *engine.Work, b settings.Budgets) (wait bool, err error) {
	if b == (settings.Budgets{}) {
		return false, nil
	}
	spent, err := w.Spent(ctx)
	if err != nil {
		return false, err
	}
	uses := []use{{"this turn", spent.Turn, b.Turn}, {"this session", spent.Session, b.Session}}
	if b.Owner != (settings.Budget{}) && a.Spent != nil {
		all, err := a.Spent(ctx, w.Step.Owner)
		if err != nil {
			return false, err
		}
		uses = append(uses, use{"all your sessions together", all, b.Owner})
	}
	for _, hard := range []bool{true, false} {
		for _, u := range uses {
			text := u.exceeds(hard)
			if text == "" || w.Step.Allowed.Covers(hard) {
				continue
			}
			_, err := w.Do(ctx, session.Command{Type: session.BudgetReached, Data: &session.OverBudget{TurnID: w.Step.TurnID, Hard: hard, Text: text}})
			return true, err
		}
	}
	return false, nil
}

// use is what something has cost, and may.
type use struct {
	what  string
	spent protocol.Usage
	may   settings.Budget
}

// exceeds says which bound is passed; empty if none is.
func (u use) exceeds(hard bool) string {
	usd, tokens, word := u.may.SoftUSD, u.may.SoftTokens, "soft"
	if hard {
		usd, tokens, word = u.may.HardUSD, u.may.HardTokens, "hard"
	}
	switch total := u.spent.Tokens() + u.spent.CacheReadTokens + u.spent.CacheWriteTokens; {
	case usd > 0 && u.spent.CostUSD >= usd:
		return fmt.Sprintf("%s has cost $%.2f; the %s limit is $%.2f.", u.what, u.spent.CostUSD, word, usd)
	case tokens > 0 && total >= int64(tokens):
		return fmt.Sprintf("%s has taken %d tokens; the %s limit is %d.", u.what, total, word, tokens)
	}
	return ""
}
