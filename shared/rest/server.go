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

// server handles the requests of one set of routes.
type server struct {
	routes    *router
	store     *store.Store
	now       func() time.Time
	log       *slog.Logger
	baseURL   string // without a trailing slash
	errors    errorEncoder
	allowHTTP bool
	proxies   Proxies
	keys      keyring
	callers   *limiter // by credential
	payers    *limiter // by public key or merchant token, and address
	tenants   *limiter // by tenant: one subject for all its callers, another for all its payers
	addresses *limiter
	uses      *keyUses
}

// replyTime is reserved at the end of a deadline for the 504 reply. Afterwards Lambda stops the process.
const replyTime = 500 * time.Millisecond

// ServeHTTP answers one request and writes its log line.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := s.now()
	x := &exchange{server: s, request: r, id: uuid.NewString(), client: s.proxies.clientAddress(r),
		quota: s.callers.limit.fullQuota()}
	ctx, cancel := deadline.Early(r.Context(), replyTime)
	defer cancel()
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	answer := x.catchPanic(ctx, x.answer)
	h := w.Header()
	h.Set("X-Request-Id", x.id)
	if isSecure(r) { // browsers ignore it in answers over plain HTTP (RFC 6797 §8.1)
		h.Set("Strict-Transport-Security", "max-age=63072000")
	}
	x.quota.setHeaders(h)
	x.setDeprecationHeaders(h)
	if x.match.forBrowsers() {
		setCORSHeaders(h)
	}
	answer.write(w, r.Method)
	x.logRequest(ctx, answer, s.now().Sub(start))
}

// exchange is one request and its state so far.
type exchange struct {
	server  *server
	request *http.Request
	id      string
	client  netip.Addr // the client's address; invalid if unknown
	match   pathMatch
	route   *Route // nil until a route has matched
	caller  identity.Principal
	quota   quota
	raw     []byte
	input   input
}

// answer takes the request through the steps in the package comment.
func (x *exchange) answer(ctx context.Context) reply {
	if r, done := x.findRoute(); done {
		return r
	}
	ctx, err := x.admit(ctx)
	if err != nil {
		return x.errorReply(err)
	}
	if err = x.read(); err != nil {
		return x.errorReply(err)
	}
	key, err := x.idempotencyKey()
	if err != nil {
		return x.errorReply(err)
	}
	if key != "" {
		return x.runOnce(ctx, key)
	}
	return x.run(withOperation(ctx, x.server.keys.keys, uuid.NewString()))
}

// maxAdmissions limits how often an operation is tried while the caller's rights keep changing.
const maxAdmissions = 5

// run calls the operation. If the caller's rights changed before the operation could give rights to others
// (store.ErrCallerChanged), run admits the caller again and repeats the operation. It recovers from panics, because the
// idempotency key must be released after a panic too.
func (x *exchange) run(ctx context.Context) reply {
	return x.catchPanic(ctx, func(ctx context.Context) reply {
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
			return x.errorReply(err)
		}
		return r
	})
}

// catchPanic calls step, and turns a panic into the 500 of the contract.
func (x *exchange) catchPanic(ctx context.Context, step func(context.Context) reply) (r reply) {
	defer func() {
		if cause := recover(); cause != nil {
			x.server.log.LogAttrs(ctx, slog.LevelError, "panic", slog.String("request_id", x.id),
				slog.String("cause", fmt.Sprint(cause)), slog.String("stack", string(debug.Stack())))
			r = x.errorReply(fmt.Errorf("panic: %v", cause))
		}
	}()
	return step(ctx)
}

// errorReply returns the reply to err in the route's format.
func (x *exchange) errorReply(err error) reply {
	format := Hybrid
	if x.route != nil {
		format = x.route.Errors
		if x.route.showsErrorPage(x.request.Header) {
			format = HTML
		}
	}
	return x.server.errors.reply(err, format, x.id, x.request.Header)
}
