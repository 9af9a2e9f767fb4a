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

// Permits records the permissions that each function's calls need. It includes the calls of the function's acquirer and
// bank. It refuses calls that the function's role does not allow.
type Permits struct {
	Learning bool // only records permissions: a missing permission is no error

	mu   sync.Mutex
	used map[string]map[string]bool // by function
	bad  []error                    // errors of calls that no role can allow
}

// Of returns the permissions that a function used, sorted, such as "PutItem CHECKOUT". For "" it returns the
// permissions of calls without a function.
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

// wrap returns a network that refuses the calls that IAM would refuse, records the permissions, and passes the other
// calls to next. If inspecting is true, calls without a function pass unchecked.
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

// allow records the requests' permissions. It returns true if the function's role allows all requests.
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

// checkTenant returns true if the requests name only partitions that belong to the caller.
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

// functionOf returns the name of the function that makes a call. Lambda's context contains the name.
func functionOf(r *http.Request) string {
	c, ok := lambdacontext.FromContext(r.Context())
	if !ok {
		return ""
	}
	return c.InvokedFunctionArn[strings.LastIndex(c.InvokedFunctionArn, ":")+1:]
}

// checkPermits fails the test if a call was denied by the function's role, or if the function of a call is unknown.
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
