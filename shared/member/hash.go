package member

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Hash is a PHC string (github.com/P-H-C/phc-string-format): $argon2id$v=19$…$<salt>$<tag>. Only the table may contain
// it.
type Hash string

// defaultCost is OWASP's minimum for Argon2id (Password Storage Cheat Sheet): 19 MiB, 2 passes, 1 lane. RFC 9106
// recommends 64 MiB and 2 GiB. A function of 256 MB does not have 2 GiB. Beside the rest of the process it has no room
// for two hashes of 64 MiB at a time.
var defaultCost = Cost{memory: 19 * 1024, passes: 2, lanes: 1}

// CheapCost is for tests, which make thousands of hashes. Package app refuses it in a deployed function.
var CheapCost = Cost{memory: 64, passes: 1, lanes: 1}

// Cost is the work for a new hash: the parameters of Argon2id. The zero value is the default.
type Cost struct {
	memory uint32 // KiB
	passes uint32
	lanes  uint8
}

// Lengths in bytes (RFC 9106 §4).
const (
	saltLength = 16
	tagLength  = 32
)

// A process computes at most maxHashing hashes at a time. Up to maxWaiting more wait, and the rest are refused. A
// deployed function handles one request at a time. The local run handles many, and must not run out of memory.
const (
	maxHashing = 2
	maxWaiting = 30 // additional to maxHashing: a few seconds of work
)

var (
	// slots has an element for each hash that is being computed.
	slots = make(chan struct{}, maxHashing)
	// queue has an element for each hash that is being computed or waits.
	queue = make(chan struct{}, maxHashing+maxWaiting)
)

// errBusy is the failure when too many hashes already wait.
var errBusy = failure.TooMany(time.Second)

// maxMemory bounds the memory of a stored hash, in KiB.
const maxMemory = 64 * 1024

// errBadHash reports a stored hash that we did not write.
var errBadHash = errors.New("member: a stored password hash cannot be read")

// newHash hashes a password under a new random salt. Errors: those of computeTag.
func newHash(ctx context.Context, c Cost, password string) (Hash, error) {
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never fails
	tag, err := c.computeTag(ctx, password, salt, tagLength)
	if err != nil {
		return "", err
	}
	return c.phc(salt, tag), nil
}

// phc returns the PHC string of a hash of this cost.
func (c Cost) phc(salt, tag []byte) Hash {
	return Hash(fmt.Sprintf(phcForm, argon2.Version, c.memory, c.passes, c.lanes) + "$" +
		phcEncoding.EncodeToString(salt) + "$" + phcEncoding.EncodeToString(tag))
}

const phcForm = "$argon2id$v=%d$m=%d,t=%d,p=%d"

var phcEncoding = base64.RawStdEncoding.Strict() // of PHC strings

// matches compares a password with the hash in constant time. Errors: those of computeTag; errBadHash.
func (h Hash) matches(ctx context.Context, password string) (bool, error) {
	p, salt, want, err := h.parse()
	if err != nil {
		return false, err
	}
	got, err := p.computeTag(ctx, password, salt, uint32(len(want))) //nolint:gosec // parse has bounded it
	return err == nil && subtle.ConstantTimeCompare(got, want) == 1, err
}

// parse reads the hash. Older hashes may have another cost than the default.
func (h Hash) parse() (p Cost, salt, tag []byte, err error) {
	parts := strings.Split(string(h), "$")
	if len(parts) != 6 {
		return p, nil, nil, errBadHash
	}
	var version int
	head := strings.Join(parts[:4], "$")
	_, err = fmt.Sscanf(head, phcForm, &version, &p.memory, &p.passes, &p.lanes)
	salt, saltErr := phcEncoding.DecodeString(parts[4])
	tag, tagErr := phcEncoding.DecodeString(parts[5])
	if errors.Join(err, saltErr, tagErr) != nil || head != fmt.Sprintf(phcForm, version, p.memory, p.passes, p.lanes) ||
		version != argon2.Version || !p.withinLimits() || len(salt) != saltLength || len(tag) != tagLength {
		return p, nil, nil, errBadHash
	}
	return p, salt, tag, nil
}

func (p Cost) withinLimits() bool {
	return p.memory <= maxMemory && p.passes >= 1 && p.passes <= 10 && p.lanes >= 1 && p.memory >= 8*uint32(p.lanes)
}

// computeTag computes Argon2id (RFC 9106) when a slot is free. Error: that of ctx. Failure: TooMany, if the queue is
// full.
func (p Cost) computeTag(ctx context.Context, password string, salt []byte, length uint32) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case queue <- struct{}{}:
		defer func() { <-queue }()
	default:
		return nil, errBusy
	}
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
		return argon2.IDKey([]byte(password), salt, p.passes, p.memory, p.lanes, length), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Format hides the hash from every verb of fmt.
func (Hash) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "[redacted]") }

// LogValue hides the hash from slog.
func (Hash) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// MarshalJSON always fails, because a hash is never part of an answer.
func (Hash) MarshalJSON() ([]byte, error) {
	return nil, errors.New("member: a password hash cannot be written out")
}
