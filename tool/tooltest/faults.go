package tooltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/parley-dev/parley/tool"
)

// eventFault says how an event breaks the contract; "" if it does not.
func eventFault(e tool.Event) string {
	switch {
	case e.Output == "" && e.Progress == nil:
		return "an event is empty"
	case !utf8.ValidString(e.Output):
		return fmt.Sprintf("%.80q is not valid UTF-8; keep back the bytes of an unfinished character", e.Output)
	case e.Output != "" && e.Stream != tool.Stdout && e.Stream != tool.Stderr:
		return fmt.Sprintf("output came on the stream %q", e.Stream)
	case e.Progress != nil && (e.Progress.Percent < 0 || e.Progress.Percent > 100):
		return fmt.Sprintf("progress of %d percent", e.Progress.Percent)
	}
	return ""
}

// resultFaults says where a result breaks the contract; none if it does not.
func resultFaults(r tool.Result) []string {
	var out []string
	if !utf8.ValidString(r.Text) {
		out = append(out, fmt.Sprintf("the text %.80q is not valid UTF-8", r.Text))
	}
	if len(r.Text) > tool.MaxText {
		out = append(out, fmt.Sprintf("the text has %d bytes; at most %d are allowed", len(r.Text), tool.MaxText))
	}
	if len(r.Summary) > tool.MaxSummary {
		out = append(out, fmt.Sprintf("the summary has %d bytes; at most %d are allowed", len(r.Summary), tool.MaxSummary))
	}
	if r.Summary != nil && !isObject(r.Summary) {
		out = append(out, fmt.Sprintf("the summary %.80s is not a JSON object", r.Summary))
	}
	if len(r.Images) > tool.MaxImages {
		out = append(out, fmt.Sprintf("there are %d images; at most %d are allowed", len(r.Images), tool.MaxImages))
	}
	for _, i := range r.Images {
		if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, i.MediaType) {
			out = append(out, fmt.Sprintf("no model takes an image of type %q", i.MediaType))
		}
		if len(i.Data) == 0 || len(i.Data) > tool.MaxImage {
			out = append(out, fmt.Sprintf("an image has %d bytes; want some, and at most %d", len(i.Data), tool.MaxImage))
		}
	}
	return out
}

// errorFaults says where the error of a call breaks the contract; none if it does
// not.
func errorFaults(ctx context.Context, err error) []string {
	if err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	var e *tool.Error
	if !errors.As(err, &e) {
		return []string{fmt.Sprintf("Run returned %v (%T), want a *tool.Error", err, err)}
	}
	var out []string
	if !slices.Contains(tool.Codes(), e.Code) {
		out = append(out, fmt.Sprintf("the error %v has the unknown code %q", err, e.Code))
	}
	if err.Error() == "" || len(err.Error()) > tool.MaxSummary {
		out = append(out, fmt.Sprintf("the error's message has %d bytes; want some, and at most %d", len(err.Error()), tool.MaxSummary))
	}
	return out
}

func isObject(raw json.RawMessage) bool {
	return json.Valid(raw) && bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{"))
}
