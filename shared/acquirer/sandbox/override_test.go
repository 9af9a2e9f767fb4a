package sandbox_test

import (
	"context"
	"iter"
	"net/textproto"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/acquirertest"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// override is an acquirer with other methods. A nil function does not change its method.
type override struct {
	acquirer.Acquirer
	summary      func(*payments.Card) payments.CardSummary
	charge       func(context.Context, acquirer.Charge) (payments.Outcome, error)
	lookUp       func(context.Context, string) (payments.Outcome, error)
	complete     func(ctx context.Context, id, answer string) (payments.Outcome, error)
	cancel       func(context.Context, string) (payments.Outcome, error)
	refund       func(context.Context, acquirer.Refund) (payments.Outcome, error)
	cancelRefund func(context.Context, string) (payments.Outcome, error)
	deleteCard   func(context.Context, string) error
	statement    func(context.Context, time.Time) iter.Seq2[acquirer.Movement, error]
	notice       func(textproto.MIMEHeader, []byte) ([]acquirer.Hint, error)
	hints        func(context.Context, time.Time) iter.Seq2[acquirer.Hint, error]
	reword       func(*payments.Outcome) // changes the outcome of each call
}

func (o *override) Summary(c *payments.Card) payments.CardSummary {
	if o.summary != nil {
		return o.summary(c)
	}
	return o.Acquirer.Summary(c)
}

func (o *override) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	return answer(ctx, o, c, o.charge, o.Acquirer.Charge)
}

func (o *override) LookUp(ctx context.Context, id string) (payments.Outcome, error) {
	return answer(ctx, o, id, o.lookUp, o.Acquirer.LookUp)
}

func (o *override) Complete(ctx context.Context, id, paRes string) (payments.Outcome, error) {
	complete := o.Acquirer.Complete
	if o.complete != nil {
		complete = o.complete
	}
	return answer(ctx, o, id, nil, func(ctx context.Context, id string) (payments.Outcome, error) {
		return complete(ctx, id, paRes)
	})
}

func (o *override) Cancel(ctx context.Context, id string) (payments.Outcome, error) {
	return answer(ctx, o, id, o.cancel, o.Acquirer.Cancel)
}

func (o *override) Refund(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
	return answer(ctx, o, r, o.refund, o.Acquirer.Refund)
}

func (o *override) CancelRefund(ctx context.Context, id string) (payments.Outcome, error) {
	return answer(ctx, o, id, o.cancelRefund, o.Acquirer.CancelRefund)
}

func (o *override) DeleteCard(ctx context.Context, token string) error {
	if o.deleteCard != nil {
		return o.deleteCard(ctx, token)
	}
	return o.Acquirer.DeleteCard(ctx, token)
}

func (o *override) Statement(ctx context.Context, since time.Time) iter.Seq2[acquirer.Movement, error] {
	if o.statement != nil {
		return o.statement(ctx, since)
	}
	return o.Acquirer.Statement(ctx, since)
}

func (o *override) Notice(header textproto.MIMEHeader, body []byte) ([]acquirer.Hint, error) {
	if o.notice != nil {
		return o.notice(header, body)
	}
	return o.Acquirer.Notice(header, body)
}

func (o *override) Hints(ctx context.Context, since time.Time) iter.Seq2[acquirer.Hint, error] {
	if o.hints != nil {
		return o.hints(ctx, since)
	}
	return o.Acquirer.Hints(ctx, since)
}

// answer calls the first function, or the second if the first is nil, and rewords the outcome.
func answer[I any](ctx context.Context, o *override, input I, other,
	own func(context.Context, I) (payments.Outcome, error)) (payments.Outcome, error) {
	if other != nil {
		own = other
	}
	outcome, err := own(ctx, input)
	if err == nil && o.reword != nil {
		o.reword(&outcome)
	}
	return outcome, err
}

// memory holds the state that both processes of a mutant share. It is safe for concurrent use.
type memory struct {
	mu      sync.Mutex
	marked  map[string]bool
	owners  map[string]acquirer.Charge // charges that stored a card, by token
	running map[string]int             // calls that have begun and not ended, by id
	met     map[string]chan struct{}   // closed when a second call for the id has begun
}

// overrideBoth replaces methods of both processes.
func overrideBoth(p *acquirertest.Peer, change func(*override, *memory)) {
	m := &memory{marked: map[string]bool{}, owners: map[string]acquirer.Charge{}, running: map[string]int{},
		met: map[string]chan struct{}{}}
	for _, process := range []*acquirer.Acquirer{&p.First, &p.Second} {
		o := &override{Acquirer: *process}
		change(o, m)
		*process = o
	}
}

// mark marks an id, and returns true if the id was marked before.
func (m *memory) mark(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.marked[id]
	m.marked[id] = true
	return before
}

func (m *memory) isMarked(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.marked[id]
}

// enter begins a call and returns true if another call for the id is running. leave ends the call.
func (m *memory) enter(id string) (met bool, leave func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running[id]++
	return m.running[id] > 1, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.running[id]--
	}
}

// wait holds the first call for an id until the second has begun, so that the calls certainly run at the same time.
func (m *memory) wait(id string) (second bool) {
	m.mu.Lock()
	first, known := m.met[id]
	if !known {
		first = make(chan struct{})
		m.met[id] = first
	}
	m.mu.Unlock()
	if !known {
		<-first
		return false
	}
	second = !m.mark("met " + id)
	if second {
		close(first)
	}
	return second
}
