package rest_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/parley-dev/parley/protocol"
)

// The smallest PNG there is, and something longer than a record may hold.
var png = append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 2000)...)

func TestBlobs(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	h.create("b")
	long := strings.Repeat("<script>alert(1)</script>", 4000)
	images := map[string]string{
		"png":    "data:image/png;base64," + base64.StdEncoding.EncodeToString(png),
		"svg":    "data:image/svg+xml;base64," + strings.Repeat("A", 2000),
		"zip":    "PK\x03\x04" + strings.Repeat("\x00\x01", 1000),
		"broken": "data:image/png;base64,!!!" + strings.Repeat("A", 2000),
	}
	body, err := json.Marshal(protocol.UserMessage{Content: long, Images: []string{images["png"], images["svg"], images["zip"], images["broken"]}})
	if err != nil {
		t.Fatal(err)
	}
	s := h.follow("a", "")
	h.post("/sessions/a/messages", string(body)).is(202)
	s.until(protocol.TypeComplete)
	ui := h.get("/sessions/a/messages?view=ui").items()
	text := ui[0]["text_blob"].(map[string]any)["hash"].(string)
	kept := ui[0]["images"].([]any)
	hash := func(i int) string { return strings.TrimPrefix(kept[i].(string), protocol.BlobURL) }

	a := h.get("/sessions/a/blobs/" + text).is(200)
	if string(a.body) != long || a.header.Get("Content-Type") != "text/plain; charset=utf-8" || a.header.Get("Content-Disposition") != "" {
		t.Errorf("text: %v", a.header)
	}
	if a.header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(a.header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("a page could be made of it: %v", a.header)
	}
	a = h.get("/sessions/a/blobs/" + hash(0)).is(200)
	if string(a.body) != string(png) || a.header.Get("Content-Type") != "image/png" {
		t.Errorf("png: %v, %d bytes", a.header, len(a.body))
	}
	for _, i := range []int{1, 3} { // not pictures: shown as the text they are
		if a = h.get("/sessions/a/blobs/" + hash(i)).is(200); a.header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("image %d: %v", i, a.header)
		}
	}
	a = h.get("/sessions/a/blobs/" + hash(2)).is(200)
	if a.header.Get("Content-Type") != "application/octet-stream" || a.header.Get("Content-Disposition") != "attachment" {
		t.Errorf("zip: %v", a.header)
	}
	h.get("/sessions/a/blobs/"+text, "If-None-Match", `"`+text+`"`).is(http.StatusNotModified)
	if a := h.get("/sessions/a/blobs/"+text, "Range", "bytes=0-7").is(http.StatusPartialContent); string(a.body) != "<script>" {
		t.Errorf("range: %q", a.body)
	}
	// The session that refers to a blob is the permission to read it.
	h.get("/sessions/b/blobs/"+text).problem(404, protocol.CodeInvalidMessage)
	h.get("/sessions/a/blobs/"+strings.Repeat("0", 64)).problem(404, protocol.CodeInvalidMessage)
	h.get("/sessions/a/blobs/..%2f..%2fetc").problem(404, protocol.CodeInvalidMessage)
	h.get("/sessions/nobody/blobs/"+text).problem(404, protocol.CodeSessionNotFound)
}
