package workspace

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"errors"
	"fmt"
)

// pack collects trees for git to store: all of them in one file, so that they are
// synced once and not one by one.
type pack struct {
	have map[oid]struct{}
	body bytes.Buffer
	zip  *zlib.Writer
}

const packTree = 2 // the type of a tree in a pack

func newPack() (*pack, error) {
	p := &pack{have: map[oid]struct{}{}}
	p.body.WriteString("PACK\x00\x00\x00\x02....") // the number of objects comes last
	var err error
	p.zip, err = zlib.NewWriterLevel(&p.body, zlib.BestSpeed)
	return p, err
}

// add puts a tree into the pack.
func (p *pack) add(o oid, content []byte) error {
	if _, ok := p.have[o]; ok {
		return nil
	}
	p.have[o] = struct{}{}
	// The size follows the type: four bits, then seven in each byte, lowest first.
	size := len(content)
	b := byte(packTree<<4 | size&0xf)
	for size >>= 4; size > 0; size >>= 7 {
		p.body.WriteByte(b | 0x80)
		b = byte(size & 0x7f)
	}
	p.body.WriteByte(b)
	p.zip.Reset(&p.body)
	_, err := p.zip.Write(content)
	return errors.Join(err, p.zip.Close())
}

// file is the pack as git reads it.
func (p *pack) file() []byte {
	b, n := p.body.Bytes(), len(p.have)
	copy(b[8:], []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
	sum := sha1.Sum(b)
	return append(b, sum[:]...)
}

// plant stores the trees of a checkpoint and gives the one of its files. They are on
// disk when it returns; the blobs that they name need not be.
func (m *importer) plant(tree string, edits []edit) (string, error) {
	b, err := m.hold.batch(m.hold.ctx, m.hold.lock)
	if err != nil {
		return "", err
	}
	defer b.close()
	p, err := newPack()
	if err != nil {
		return "", err
	}
	tree, err = (&trees{b.blob, p}).edited(tree, edits)
	if err != nil || len(p.have) == 0 {
		return tree, err
	}
	var complaint bytes.Buffer
	cmd := m.git.command(m.hold.ctx, m.hold.lock, "index-pack", "--stdin")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(p.file()), &complaint
	if err := cmd.Run(); err != nil {
		m.git.failed.Store(true)
		return "", fmt.Errorf("store folders: %w", gitError(m.hold.ctx, "index-pack", err, complaint.String()))
	}
	return tree, nil
}
