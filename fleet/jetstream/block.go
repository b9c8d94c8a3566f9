package jetstream

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"slices"

	"github.com/minio/highwayhash"
)

// A block is a file of the server's with records of a stream, one behind the other: a head
// of 22 bytes (length, sequence, time, length of the subject), the subject, headers, the
// value, and a checksum of all that.
const (
	blockHead   = 22
	blockSum    = 8
	withHeaders = 1 << 31 // of the length
	noRecord    = 3 << 62 // of the sequence: one that was erased, or the mark of it
)

var headersEnd = []byte("\r\n\r\n")

// readBlocks reads the blocks of the bucket as the server is going to, and returns the
// first damage, empty where there is none, and the highest sequence of a record. The server
// may panic on a block whose last record is damaged, in a goroutine of its own. The end of
// the last block may lack what a killed process was writing: that is no damage.
func readBlocks(dir string) (damage string, newest uint64, _ error) {
	stream := streamName
	blocks, err := filepath.Glob(filepath.Join(dir, serverDir, "*", "streams", stream, "msgs", "*.blk"))
	if err != nil {
		return "", 0, fmt.Errorf("jetstream: %w", err)
	}
	number := func(path string) (n int) {
		_, _ = fmt.Sscanf(filepath.Base(path), "%d.blk", &n) // 0 is that of another file, which has no checksums of ours
		return n
	}
	slices.SortFunc(blocks, func(a, b string) int { return number(a) - number(b) })
	for i, path := range blocks {
		raw, err := os.ReadFile(path)
		if err != nil {
			return "", 0, fmt.Errorf("jetstream: %w", err)
		}
		sum, err := blockHash(stream, number(path))
		if err != nil {
			return "", 0, err
		}
		last, end, whole := readBlock(raw, sum)
		newest = max(newest, last)
		if torn := whole && i == len(blocks)-1; damage == "" && end < len(raw) && !torn {
			damage = fmt.Sprintf("%s: the record at byte %d is damaged", path, end)
		}
	}
	return damage, newest, nil
}

// blockHash makes the checksums of a block: their key is its stream and its number.
func blockHash(stream string, number int) (hash.Hash, error) {
	key := sha256.Sum256(fmt.Appendf(nil, "%s-%d", stream, number))
	sum, err := highwayhash.NewDigest64(key[:])
	if err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	return sum, nil
}

// readBlock reads a block's records up to the first that is damaged, which begins at end.
// whole says that the file ends before that one does, and that nothing else is wrong.
func readBlock(raw []byte, sum hash.Hash) (newest uint64, end int, whole bool) {
	for end < len(raw) {
		rest := raw[end:]
		if len(rest) < blockHead {
			return newest, end, true
		}
		length := binary.LittleEndian.Uint32(rest)
		size, subject := int(length&^withHeaders), int(binary.LittleEndian.Uint16(rest[20:]))
		if size > len(rest) {
			return newest, end, true
		}
		at, headers := blockHead+subject, []byte(nil)
		if length&withHeaders != 0 {
			if at+4+blockSum > size {
				return newest, end, false
			}
			// Their length is in no checksum.
			n := int(binary.LittleEndian.Uint32(rest[at:]))
			at += 4
			if n > size-blockSum-at || bytes.Index(rest[at:], headersEnd) != n-len(headersEnd) {
				return newest, end, false
			}
			headers = rest[at : at+n]
		}
		if at+blockSum > size {
			return newest, end, false
		}
		sum.Reset()
		for _, part := range [][]byte{rest[4:20], rest[blockHead : blockHead+subject], rest[at : size-blockSum]} {
			_, _ = sum.Write(part) // a hash takes all
		}
		if !bytes.Equal(sum.Sum(nil), rest[size-blockSum:size]) {
			return newest, end, false
		}
		sequence := binary.LittleEndian.Uint64(rest[4:])
		marks := bytes.Contains(headers, []byte("\nKV-Operation:")) || bytes.Contains(headers, []byte("\nNats-Marker-Reason:"))
		if sequence&noRecord == 0 && !marks {
			newest = max(newest, sequence)
		}
		end += size
	}
	return newest, end, false
}

// settledTwin returns the twin of a directory if it has all that the damaged blocks may
// have had: it is whole, belongs to them, and ends where they do or later. Otherwise it
// is nil, and the server says what is left.
func settledTwin(dir string, newest uint64) *twin {
	found, err := filepath.Glob(filepath.Join(dir, serverDir, "*", "streams", streamName, "meta.inf"))
	if err != nil || len(found) != 1 {
		return nil
	}
	raw, err := os.ReadFile(found[0])
	var about struct {
		Metadata map[string]string `json:"metadata"`
	}
	if err != nil || json.Unmarshal(raw, &about) != nil {
		return nil
	}
	t, wrong, err := loadTwin(filepath.Join(dir, twinDir))
	if err != nil {
		return nil
	}
	if len(wrong) > 0 || t.epoch == "" || t.epoch != about.Metadata[twinSetting] || t.newest < max(t.marked, newest) {
		t.close()
		return nil
	}
	return t
}
