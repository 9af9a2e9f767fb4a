package sandbox

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/table"
)

// SignatureHeader is the header of a notice that contains "t=<unix seconds>,v1=<signature>". The signature is a keyed
// hash of the time, a dot and the body.
const SignatureHeader = "Sandbox-Signature"

const (
	// maxNotice is the maximum size of a notice's body in bytes, and maxHints the maximum number of its hints.
	maxNotice = 64 << 10
	maxHints  = 100
	// noticeTime is the maximum difference between a notice's time and the clock.
	noticeTime = 5 * time.Minute
	// hintsKept is the time after which a stored hint is deleted.
	hintsKept = 7 * 24 * time.Hour
)

// notice is the body of a notice.
type notice struct {
	Hints []hint `json:"hints"`
}

// hint is a hint as the sandbox stores and sends it. The names are in the order of the alphabet, because the example of
// openapi.yaml signs the body that encoding/json makes of a map.
type hint struct {
	CheckoutID string `dynamo:"checkout_id" json:"checkout_id"`
	ID         string `dynamo:"id" json:"id"`
	IsRefund   bool   `dynamo:"is_refund,omitempty" json:"is_refund,omitempty"`
	Tenant     string `dynamo:"tenant" json:"tenant"`
}

func newHint(h acquirer.Hint) hint {
	return hint{ID: h.ID, Tenant: h.Tenant, CheckoutID: h.CheckoutID, IsRefund: h.IsRefund}
}

// isComplete returns true if the hint names a charge or refund with its tenant and checkout.
func (h hint) isComplete() bool { return h.ID != "" && h.Tenant != "" && h.CheckoutID != "" }

// inPort returns the hint in the form of the port.
func (h hint) inPort() acquirer.Hint {
	return acquirer.Hint{Reference: acquirer.Reference{Tenant: h.Tenant, CheckoutID: h.CheckoutID}, ID: h.ID,
		IsRefund: h.IsRefund}
}

// Notice returns the hints of a message, if the sandbox signed the message in the last minutes. Errors: ErrBadNotice.
func (a *Acquirer) Notice(header textproto.MIMEHeader, body []byte) ([]acquirer.Hint, error) {
	if len(body) > maxNotice {
		return nil, badNotice("it has more than %d bytes", maxNotice)
	}
	if err := a.checkSignature(header[SignatureHeader], body); err != nil {
		return nil, err
	}
	var n notice
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&n); err != nil {
		return nil, badNotice("its body cannot be read: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, badNotice("its body goes on after the object")
	}
	if len(n.Hints) == 0 || len(n.Hints) > maxHints {
		return nil, badNotice("it has %d hints, not 1 to %d", len(n.Hints), maxHints)
	}
	hints := make([]acquirer.Hint, len(n.Hints))
	for i, h := range n.Hints {
		if !h.isComplete() {
			return nil, badNotice("hint %d is incomplete", i)
		}
		hints[i] = h.inPort()
	}
	return hints, nil
}

// NewNotice returns the header and the body of a signed notice, as the sandbox sends it. It fails without hints and
// with too many.
func (a *Acquirer) NewNotice(hints ...acquirer.Hint) (textproto.MIMEHeader, []byte, error) {
	if len(hints) == 0 || len(hints) > maxHints {
		return nil, nil, fmt.Errorf("sandbox: a notice has 1 to %d hints, not %d", maxHints, len(hints))
	}
	var n notice
	for _, h := range hints {
		n.Hints = append(n.Hints, newHint(h))
	}
	body, err := json.Marshal(n)
	if err != nil {
		return nil, nil, err
	}
	at := strconv.FormatInt(a.records.Time().Unix(), 10)
	return textproto.MIMEHeader{SignatureHeader: {"t=" + at + ",v1=" + a.sign(at, body)}}, body, nil
}

// sign returns the signature of a body at a time in Unix seconds.
func (a *Acquirer) sign(at string, body []byte) string {
	return a.token(forNotice, at+"."+string(body))
}

// checkSignature refuses a notice without exactly one signature, with a wrong signature, or with an old time.
func (a *Acquirer) checkSignature(values []string, body []byte) error {
	if len(values) != 1 {
		return badNotice("it has %d signatures", len(values))
	}
	at, signature, ok := strings.Cut(values[0], ",v1=")
	at, found := strings.CutPrefix(at, "t=")
	if !ok || !found || !hmac.Equal([]byte(signature), []byte(a.sign(at, body))) {
		return badNotice("its signature is wrong")
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || a.records.Time().Sub(time.Unix(seconds, 0)).Abs() > noticeTime {
		return badNotice("its time is not now")
	}
	return nil
}

func badNotice(format string, values ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{acquirer.ErrBadNotice}, values...)...)
}

// hintItem has a random key, because a charge or refund may have several hints.
type hintItem struct {
	table.Key
	table.Booked
	hint
	TTL time.Time `dynamo:"expires_at,unixtime"`
}

// hintList is the list of all hints in the table's index of lists.
const hintList = "SANDBOX#HINTS"

// putHint returns the write of a hint about an outcome that changes at the time.
func (b records) putHint(h acquirer.Hint, at time.Time) *dynamo.Put {
	id := rand.Text()
	return b.Table.Put(hintItem{Key: table.NewKey("SANDBOX#HINT#"+id, "HINT"), Booked: table.NewBooked(hintList, at, id),
		hint: newHint(h), TTL: at.Add(hintsKept)})
}

// newHintedTx returns the transaction that stores a charge that the payer has decided, with a hint.
func (b records) newHintedTx(item chargeItem, put *dynamo.Put) *dynamo.WriteTx {
	return b.newWriteTx(item, put).Put(b.putHint(item.hint(), b.Time()))
}

func (c charge) hint() acquirer.Hint { return acquirer.Hint{Reference: c.reference(), ID: c.ID} }

// hint returns the hint about a refund of the charge.
func (r refund) hint(c charge) acquirer.Hint {
	return acquirer.Hint{Reference: c.reference(), ID: r.ID, IsRefund: true}
}

// Hints walks hints about the charges that their payers decided at the time since or later, and about the charges and
// refunds whose pending outcome is known since then, or will be soon. A terminal's charge has no hint, because the
// platform's terminal made it. Hints of more than a week ago may be deleted. An error ends the walk.
func (a *Acquirer) Hints(ctx context.Context, since time.Time) iter.Seq2[acquirer.Hint, error] {
	return table.WalkBooked(ctx, a.records.Client, hintList, since, func(i hintItem) acquirer.Hint { return i.inPort() })
}
