package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// imageMost is how long an image may be in a record; a longer one becomes a blob.
const imageMost = 1 << 10

// spill moves what is too long for a record out of line: it is stored and
// synced before the record that refers to it. It says whether there was any.
func (e *Engine) spill(ctx context.Context, records []protocol.Record) (spilled bool, err error) {
	for _, r := range records {
		var moved bool
		switch d := r.Data.(type) {
		case *protocol.MessageRecord:
			moved, err = e.spillWords(ctx, &d.Message.Text, &d.Message.TextBlob, &d.Message.Images)
		case *protocol.ToolCompleted:
			moved, err = e.spillWords(ctx, &d.Output, &d.OutputBlob, &d.Images)
		case *protocol.MessageQueued:
			moved, err = e.spillWords(ctx, &d.Content, &d.ContentBlob, &d.Images)
		}
		if err != nil {
			return false, storeError(err)
		}
		spilled = spilled || moved
	}
	return spilled, nil
}

func (e *Engine) spillWords(ctx context.Context, text *string, whole **protocol.BlobRef, images *[]string) (moved bool, err error) {
	if len(*text) > inlineMost {
		hash, err := e.Blobs.Put(ctx, []byte(*text))
		if err != nil {
			return false, fmt.Errorf("store long text: %w", err)
		}
		*whole = &protocol.BlobRef{Hash: hash, Size: int64(len(*text)), MediaType: "text/plain; charset=utf-8"}
		*text = strings.ToValidUTF8((*text)[:previewLen], "")
		moved = true
	}
	if images == nil || !slices.ContainsFunc(*images, isLong) {
		return moved, nil
	}
	*images = slices.Clone(*images) // the list is the client's
	for i, image := range *images {
		if !isLong(image) {
			continue
		}
		hash, err := e.Blobs.Put(ctx, []byte(image))
		if err != nil {
			return false, fmt.Errorf("store image: %w", err)
		}
		(*images)[i] = protocol.BlobURL + hash
	}
	return true, nil
}

func isLong(image string) bool { return len(image) > imageMost }

// checkImages refuses blobs that the session does not have: who refers to one
// may read it.
func (l *live) checkImages(ctx context.Context, c session.Command) error {
	m, _ := c.Data.(*protocol.UserMessage)
	if move, ok := c.Data.(*session.Move); ok {
		m = move.Again
	}
	if m == nil {
		return nil
	}
	for _, image := range m.Images {
		hash, ok := strings.CutPrefix(image, protocol.BlobURL)
		if !ok {
			continue
		}
		has, err := l.e.HasBlob(ctx, l.id, hash)
		if err != nil {
			return storeError(err)
		}
		if !has {
			return protocol.Errorf(protocol.CodeInvalidMessage, "this session has no image %q; send the image itself", image)
		}
	}
	return nil
}
