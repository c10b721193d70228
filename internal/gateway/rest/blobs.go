package rest

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/protocol"
)

// pictures are the kinds of files that a browser may show.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

type blobInput struct {
	OfSession
	Hash string `path:"hash" maxLength:"128" doc:"The hash that a record names."`
}

type blobOutput struct{ Body func(huma.Context) }

// getBlob gives a blob to whoever may read a session that refers to it.
func (d *door) getBlob(ctx context.Context, in *blobInput) (*blobOutput, error) {
	if err := d.Gateway.Authorize(ctx, callerOf(ctx), auth.Read, in.ID); err != nil {
		return nil, err
	}
	has, err := d.Gateway.Engine.HasBlob(ctx, in.ID, in.Hash)
	if err != nil {
		return nil, err
	}
	if !has {
		return nil, noBlob()
	}
	content, err := d.Blobs.Get(in.Hash)
	if err != nil {
		return nil, fmt.Errorf("session %s, blob %s: %w", in.ID, in.Hash, err)
	}
	return &blobOutput{func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		w.Header().Set("ETag", `"`+in.Hash+`"`)
		serveBlob(w, r, content)
	}}, nil
}

func noBlob() error {
	return problemOf(protocol.Errorf(protocol.CodeInvalidMessage, "this session refers to no such blob")).as(http.StatusNotFound)
}

// serveBlob sends content in a form that no browser takes for a page.
func serveBlob(w http.ResponseWriter, r *http.Request, content []byte) {
	h := w.Header()
	h.Set("Cache-Control", "private, no-cache") // asked for each time: a grant may be withdrawn
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'")
	kind := http.DetectContentType(content)
	if k, picture, ok := dataURL(content); ok {
		kind, content = k, picture
	}
	switch {
	case slices.Contains(pictures, kind):
	case strings.HasPrefix(kind, "text/"):
		kind = "text/plain; charset=utf-8"
	default:
		kind = "application/octet-stream"
		h.Set("Content-Disposition", "attachment")
	}
	h.Set("Content-Type", kind)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// dataURL gives the picture that a client sent as a data URL.
func dataURL(content []byte) (kind string, picture []byte, ok bool) {
	for _, kind := range pictures {
		encoded, ok := bytes.CutPrefix(content, []byte("data:"+kind+";base64,"))
		if !ok {
			continue
		}
		picture := make([]byte, base64.StdEncoding.DecodedLen(len(encoded)))
		n, err := base64.StdEncoding.Decode(picture, encoded)
		return kind, picture[:n], err == nil
	}
	return "", nil, false
}
