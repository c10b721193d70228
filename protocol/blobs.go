package protocol

import "strings"

// BlobURL is how a list of images names a blob.
const BlobURL = "blob:"

// Blobs gives the hashes that the record refers to.
func (r Record) Blobs() []string {
	b, ok := r.Data.(interface{ blobs() []string })
	if !ok {
		return nil
	}
	return b.blobs()
}

func (d *MessageRecord) blobs() []string {
	return refs(d.Message.Images, d.Message.TextBlob)
}

func (d *MessageQueued) blobs() []string {
	return refs(d.Images, d.ContentBlob)
}

func (d *ToolCompleted) blobs() []string { return refs(d.Images, d.OutputBlob) }

func refs(images []string, blobs ...*BlobRef) []string {
	var hashes []string
	for _, image := range images {
		if hash, ok := strings.CutPrefix(image, BlobURL); ok {
			hashes = append(hashes, hash)
		}
	}
	for _, b := range blobs {
		if b != nil {
			hashes = append(hashes, b.Hash)
		}
	}
	return hashes
}
