package profiles

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Keys seal what is stored and open it again. New seals are made with the first
// key; the others open what was sealed before it took its place. They may be used
// by any number of goroutines.
//
// A seal is AES-256-GCM under a key of its own: HKDF-SHA256 derives it from the
// operator's key and 16 random bytes, so that no number of seals wears a key
// out. What the seal is about (whose profile, and which) and its version are
// authenticated with it: one that is put in another's place does not open.
type Keys struct{ ring []sealingKey }

type sealingKey struct {
	secret []byte
	id     [idSize]byte // tells which key a seal needs, and nothing of the key
}

const (
	keySize  = 32
	idSize   = 8
	saltSize = 16
	// header is the magic, with the version at its end, the key's ID and the salt.
	headerSize = len(magic) + idSize + saltSize

	magic = "WFS\x01"
)

// The errors of Open.
var (
	ErrKey     = errors.New("profiles: it was sealed with a key that is not given")
	ErrDamaged = errors.New("profiles: it is damaged")
)

// ParseKeys reads keys, one a line or with commas between them, each 32 random
// bytes in base64 or in hexadecimal digits, as openssl rand -base64 32 writes
// one. Empty lines and those that begin with # are skipped.
func ParseKeys(r io.Reader) (*Keys, error) {
	k := &Keys{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(strings.TrimSpace(lines.Text()), "#") {
			continue
		}
		for text := range strings.SplitSeq(lines.Text(), ",") {
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			secret, ok := decodeKey(text)
			if !ok { // the line is not quoted: it is a secret
				return nil, fmt.Errorf("profiles: keys, line %d: not 32 bytes in base64 or hexadecimal digits; openssl rand -base64 32 makes a key", n)
			}
			one, err := newKey(secret)
			if err != nil {
				return nil, err
			}
			k.ring = append(k.ring, one)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("profiles: keys: %w", err)
	}
	if len(k.ring) == 0 {
		return nil, errors.New("profiles: there is no key; openssl rand -base64 32 makes one")
	}
	return k, nil
}

func decodeKey(text string) ([]byte, bool) {
	if raw, err := hex.DecodeString(text); err == nil && len(raw) == keySize {
		return raw, true
	}
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	raw, err := base64.RawStdEncoding.DecodeString(text)
	return raw, err == nil && len(raw) == keySize
}

func newKey(secret []byte) (sealingKey, error) {
	k := sealingKey{secret: secret}
	id, err := hkdf.Key(sha256.New, secret, nil, "wayfinder seal id", idSize)
	copy(k.id[:], id)
	return k, err
}

// String is not the keys.
func (k *Keys) String() string { return fmt.Sprintf("%d keys", len(k.ring)) }

// GoString is String.
func (k *Keys) GoString() string { return k.String() }

// Seal encrypts. about is what the text is about, and is needed to open it.
func (k *Keys) Seal(plain []byte, about ...string) ([]byte, error) {
	key := k.ring[0]
	sealed := append([]byte(magic), key.id[:]...)
	salt := make([]byte, saltSize)
	if _, err := rand.Read(salt); err != nil {
		return nil, err
	}
	sealed = append(sealed, salt...)
	gcm, err := key.cipher(salt)
	if err != nil {
		return nil, err
	}
	return gcm.Seal(sealed, nil, plain, authenticated(sealed, about)), nil
}

// Open decrypts what Seal made. The error is ErrKey where none of the keys is the
// one, and ErrDamaged where it is no seal, or one of something else.
func (k *Keys) Open(sealed []byte, about ...string) ([]byte, error) {
	if len(sealed) < headerSize || !bytes.HasPrefix(sealed, []byte(magic)) {
		return nil, fmt.Errorf("%w: it does not begin as a seal does", ErrDamaged)
	}
	header, id := sealed[:headerSize], sealed[len(magic):len(magic)+idSize]
	for _, key := range k.ring {
		if !bytes.Equal(key.id[:], id) {
			continue
		}
		gcm, err := key.cipher(header[len(magic)+idSize:])
		if err != nil {
			return nil, err
		}
		plain, err := gcm.Open(nil, nil, sealed[headerSize:], authenticated(header, about))
		if err != nil {
			return nil, fmt.Errorf("%w, or belongs elsewhere", ErrDamaged)
		}
		return plain, nil
	}
	return nil, ErrKey
}

// MAC returns codes that distinguish texts and, without a key, reveal nothing of
// them: HMAC-SHA256 under a key derived from each of the keys, that of the first one
// first. about is what the text is about.
func (k *Keys) MAC(text []byte, about ...string) ([][]byte, error) {
	all := make([][]byte, len(k.ring))
	for i, key := range k.ring {
		derived, err := hkdf.Key(sha256.New, key.secret, nil, "wayfinder mac", keySize)
		if err != nil {
			return nil, err
		}
		mac := hmac.New(sha256.New, derived)
		mac.Write(authenticated(nil, append(about[:len(about):len(about)], string(text))))
		all[i] = mac.Sum(nil)
	}
	return all, nil
}

// current reports whether a seal was made with the first key.
func (k *Keys) current(sealed []byte) bool {
	return len(sealed) >= headerSize && bytes.Equal(sealed[len(magic):len(magic)+idSize], k.ring[0].id[:])
}

func (k *sealingKey) cipher(salt []byte) (cipher.AEAD, error) {
	derived, err := hkdf.Key(sha256.New, k.secret, salt, "wayfinder seal", keySize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// authenticated is what a seal binds besides its text: the header, and what it
// is about, so written that no two lists are the same.
func authenticated(header []byte, about []string) []byte {
	bound := bytes.Clone(header)
	for _, part := range about {
		bound = binary.AppendUvarint(bound, uint64(len(part)))
		bound = append(bound, part...)
	}
	return bound
}
