package rest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

// server is the handler of one set of routes.
type server struct {
	routes    *router
	store     *store.Store
	now       func() time.Time
	log       *slog.Logger
	baseURL   string // without a trailing slash
	errors    errorWriter
	allowHTTP bool
	proxies   Proxies
	keys      keyring
	callers   *limiter // by credential
	payers    *limiter // by public key or merchant token, and address
	tenants   *limiter // by tenant: one subject for all its callers, another for all its payers
	addresses *limiter
	uses      *keyUses
}

// replyTime is left at the end of a deadline for the 504 reply, before Lambda stops the process.
const replyTime = 500 * time.Millisecond

// ServeHTTP answers one request and writes its log line.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := s.now()
	x := &exchange{server: s, request: r, id: uuid.NewString(), client: s.proxies.client(r), quota: s.callers.limit.full()}
	ctx, cancel := deadline.Early(r.Context(), replyTime)
	defer cancel()
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	answer := x.recovering(ctx, x.answer)
	h := w.Header()
	h.Set("X-Request-Id", x.id)
	if secure(r) { // browsers ignore it in answers over plain HTTP (RFC 6797 §8.1)
		h.Set("Strict-Transport-Security", "max-age=63072000")
	}
	x.quota.headers(h)
	x.deprecationHeaders(h)
	if x.match.public() {
		corsHeaders(h)
	}
	answer.write(w, r.Method)
	x.record(ctx, answer, s.now().Sub(start))
}

// exchange is one request and what is known of it so far.
type exchange struct {
	server  *server
	request *http.Request
	id      string
	client  netip.Addr // the client's address; not valid: unknown
	match   found
	route   *Route // nil until one has matched
	caller  identity.Principal
	quota   quota
	raw     []byte
	input   input
}

// answer takes the request through the steps of the package's comment.
func (x *exchange) answer(ctx context.Context) reply {
	if r, done := x.findRoute(); done {
		return r
	}
	ctx, err := x.admit(ctx)
	if err != nil {
		return x.fail(err)
	}
	if err = x.read(); err != nil {
		return x.fail(err)
	}
	key, err := x.idempotencyKey()
	if err != nil {
		return x.fail(err)
	}
	if key != "" {
		return x.once(ctx, key)
	}
	return x.run(withOperation(ctx, x.server.keys.keys, uuid.NewString()))
}

// maxAdmissions is how often the operation is tried with rights that change meanwhile.
const maxAdmissions = 5

// run calls the operation, again with the caller's present rights if they changed before it could give others some
// (store.ErrCallerChanged). It recovers from panics, because an idempotency key must be released then.
func (x *exchange) run(ctx context.Context) reply {
	return x.recovering(ctx, func(ctx context.Context) reply {
		var r reply
		var err error
		for try := range maxAdmissions {
			if try > 0 {
				if ctx, err = x.admitCaller(ctx); err != nil {
					break
				}
			}
			if r, err = x.route.Handle.run(ctx, &x.input); !errors.Is(err, store.ErrCallerChanged) {
				break
			}
		}
		if err != nil {
			return x.fail(err)
		}
		return r
	})
}

// recovering turns a panic of step into the contract's 500.
func (x *exchange) recovering(ctx context.Context, step func(context.Context) reply) (r reply) {
	defer func() {
		if cause := recover(); cause != nil {
			x.server.log.LogAttrs(ctx, slog.LevelError, "panic", slog.String("request_id", x.id),
				slog.String("cause", fmt.Sprint(cause)), slog.String("stack", string(debug.Stack())))
			r = x.fail(fmt.Errorf("panic: %v", cause))
		}
	}()
	return step(ctx)
}

// fail is the reply to err in the route's format.
func (x *exchange) fail(err error) reply {
	format := Hybrid
	if x.route != nil {
		format = x.route.Errors
		if x.route.asPage(x.request.Header) {
			format = HTML
		}
	}
	return x.server.errors.reply(err, format, x.id, x.request.Header)
}
