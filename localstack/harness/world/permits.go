package world

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/aws/iam"
	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// Permits records the rights that each function's calls need, also its acquirer's and bank's, and refuses other calls.
type Permits struct {
	Learning bool // records rights: a missing right is no error

	mu   sync.Mutex
	used map[string]map[string]bool // by function
	bad  []error                    // errors of calls that no rights could allow
}

// Of returns the permissions a function used, sorted, such as "PutItem CHECKOUT". "" means calls without a function.
func (p *Permits) Of(function string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.used[function]))
}

// Functions returns all functions that used any permission.
func (p *Permits) Functions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.used))
}

func (p *Permits) note(function, permission string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used == nil {
		p.used = map[string]map[string]bool{}
	}
	if p.used[function] == nil {
		p.used[function] = map[string]bool{}
	}
	p.used[function][permission] = true
}

func (p *Permits) deny(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bad = append(p.bad, err)
}

// wrap refuses calls that IAM would, and notes calls to next. An inspecting test's calls count only for functions.
func (p *Permits) wrap(next http.RoundTripper, inspecting bool) http.RoundTripper {
	return faults.RoundTrip(func(r *http.Request) (*http.Response, error) {
		function := functionOf(r)
		if function == "" && inspecting {
			return next.RoundTrip(r)
		}
		asked := r.Clone(r.Context())
		body, err := sdkcall.Body(asked)
		if err != nil {
			return nil, err
		}
		requests, err := iam.Requests(sdkcall.Operation(r), body)
		if err != nil {
			return nil, err
		}
		if !p.allow(function, requests) || !p.checkTenant(r.Context(), requests) {
			return faults.AccessDenied(r), nil
		}
		return next.RoundTrip(asked)
	})
}

// allow notes the requests, and returns true if the function's role allows them.
func (p *Permits) allow(function string, requests []iam.Request) bool {
	all := true
	for _, r := range requests {
		p.note(function, r.Permission())
		if err := r.CheckJournal(); err != nil {
			p.deny(fmt.Errorf("%q: %w", function, err))
			all = false
		}
		granted := functions.Function{Name: function}.Permissions()
		all = all && (p.Learning || slices.Contains(granted, r.Permission()))
	}
	return all
}

// memberships is the operation that reads a user's members at all merchants.
const memberships = "GET /v0.1/memberships"

// checkTenant returns true if the requests name only partitions of their caller.
func (p *Permits) checkTenant(ctx context.Context, requests []iam.Request) bool {
	by := rest.By(ctx)
	if by.Principal.IsNobody() || by.Operation == memberships {
		return true
	}
	for _, r := range requests {
		if err := r.CheckTenant(by.Principal); err != nil {
			p.deny(err)
			return false
		}
	}
	return true
}

// functionOf returns the function that makes a call, by the context from Lambda.
func functionOf(r *http.Request) string {
	c, ok := lambdacontext.FromContext(r.Context())
	if !ok {
		return ""
	}
	return c.InvokedFunctionArn[strings.LastIndex(c.InvokedFunctionArn, ":")+1:]
}

// checkPermits fails the test for a call that the function's role denies, or whose function is unknown.
func (w *World) checkPermits() {
	for _, err := range w.Permits.bad {
		w.Errorf("refused: %v", err)
	}
	if w.Permits.Learning {
		return
	}
	for _, name := range w.Permits.Functions() {
		for _, permission := range w.Permits.Of(name) {
			if !slices.Contains(functions.Function{Name: name}.Permissions(), permission) {
				w.Errorf("the function %q used %s, which functions/access.json does not give it. `make golden` records what "+
					"examples of openapi.yaml and functions/proofs/access use", name, permission)
			}
		}
	}
}
