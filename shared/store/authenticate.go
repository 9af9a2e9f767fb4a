package store

import (
	"context"
	"slices"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

var (
	errBadToken      = failure.Unauthorized("invalid-token")
	errRevokedClient = failure.Unauthorized("not-authorised-token")
)

// Authenticate reads the principal of a token, and the principal's merchant. A user acts for the merchant with the code
// from the path, if the user is an active member there. Other principals act for the token's own merchant (contract
// §2.1).
//
// From the next request on, a revoked credential fails, and changed rights or a changed merchant apply (contract §2.1).
// The failure is Unauthorized for:
//
//   - a token that is unknown, revoked or expired;
//   - a member who is missing or disabled, or has not accepted the invitation;
//   - a person whose access has ended (contract §10) at the merchant in the path or at the token's own merchant;
//   - a merchant token whose maker is refused, or could not make the token now.
func (s *View) Authenticate(ctx context.Context, token identity.Token, code string) (identity.Principal,
	merchant.Merchant, error) {
	if token.Kind != "" {
		return s.authenticateKey(ctx, token)
	}
	stored, err := s.AccessToken(ctx, token.Hash)
	if err != nil {
		return identity.Principal{}, merchant.Merchant{}, err
	}
	p := stored.Principal()
	if p.Actor.Kind == identity.MerchantToken {
		return s.authenticateMerchantToken(ctx, stored)
	}
	if !p.IsPerson() {
		return s.authenticateApplication(ctx, p)
	}
	if stored.User != "" && code != p.Tenant.Merchant && identity.IsMerchantCode(code) {
		there, is, err := s.findPrincipalAt(ctx, p, stored.User, code)
		if err != nil {
			return identity.Principal{}, merchant.Merchant{}, err
		}
		if is {
			found, m, err := s.authenticatePerson(ctx, there)
			if err == nil || !failure.Is(err, failure.KindUnauthorized) {
				return found, m, err
			}
		}
	}
	return s.authenticatePerson(ctx, p)
}

// authenticateKey reads a key and its merchant in one call, because the key names the merchant.
func (s *View) authenticateKey(ctx context.Context, token identity.Token) (identity.Principal, merchant.Merchant,
	error) {
	var k identity.APIKey
	var m merchant.Merchant
	err := s.readFew(ctx, map[key]any{keyForAPIKey(token.Tenant, token.Hash): &k, merchantKey(token.Tenant.Merchant): &m})
	if err == nil && (k.ID == "" || k.Revoked || m.Code == "") {
		err = errBadToken
	}
	if err != nil {
		return identity.Principal{}, merchant.Merchant{}, err
	}
	return k.Principal(), m, nil
}

// authenticateMerchantToken authenticates the maker again, so that the token ends when the maker's rights end (contract
// §8.5).
func (s *View) authenticateMerchantToken(ctx context.Context, t identity.AccessToken) (identity.Principal,
	merchant.Merchant, error) {
	maker, m, err := s.Authenticate(ctx, t.Maker, t.Tenant.Merchant)
	if err != nil {
		return identity.Principal{}, merchant.Merchant{}, err
	}
	p, may := maker.MerchantToken(t)
	if !may {
		return identity.Principal{}, merchant.Merchant{}, errBadToken
	}
	return p, m, nil
}

// permit is the client and the grant of an access token. The token is refused when either is revoked.
type permit struct {
	client oauth.Client
	grant  oauth.Grant
}

// addReads adds the principal's client and grant to the items to read.
func (p *permit) addReads(of identity.Principal, into map[key]any) map[key]any {
	into[oauthClientKey(of.Client)] = &p.client
	if of.Admitted.Grant != "" {
		into[grantKey(of.Admitted.Grant)] = &p.grant
	}
	return into
}

// admit returns the principal with the scopes that its client may still ask for. Failure: Unauthorized if the client or
// the grant is revoked.
func (p *permit) admit(of identity.Principal) (identity.Principal, error) {
	switch {
	case p.client.ID == "" || p.client.Revoked():
		return of, errRevokedClient
	case p.grant.Hash != of.Admitted.Grant:
		return of, errBadToken
	}
	of.Scopes = slices.DeleteFunc(slices.Clone(of.Scopes), func(scope string) bool { return !p.client.May(scope) })
	of.Admitted.Client = p.client.Version
	return of, nil
}

// authenticateApplication admits a client that acts for its own merchant, or a test profile that was not deleted.
func (s *View) authenticateApplication(ctx context.Context, p identity.Principal) (identity.Principal,
	merchant.Merchant, error) {
	var m merchant.Merchant
	var profile member.TestProfile
	var allowed permit
	into := allowed.addReads(p, map[key]any{merchantKey(p.Tenant.Merchant): &m})
	if p.Actor.Kind == identity.TestProfile {
		into[testProfileKey(p.Tenant, p.Actor.ID)] = &profile
	}
	err := s.readFew(ctx, into)
	if err == nil {
		p, err = allowed.admit(p)
	}
	if err == nil && (m.Code == "" || p.Actor.Kind == identity.TestProfile && profile.ID != p.Actor.ID) {
		err = errBadToken
	}
	if err != nil {
		return identity.Principal{}, merchant.Merchant{}, err
	}
	return p, m, nil
}

// person is the set of items that determine the rights of a person's token.
type person struct {
	permit
	member   member.Member
	roles    member.Roles
	merchant merchant.Merchant
	chosen   member.Member // at the token's own merchant, if the token acts for another
}

// authenticatePerson adds the rights of the person's member to the principal.
func (s *View) authenticatePerson(ctx context.Context, p identity.Principal) (identity.Principal,
	merchant.Merchant, error) {
	var read person
	into := read.addReads(p, map[key]any{memberKey(p.Tenant, member.NumberOf(p.Actor.ID)): &read.member,
		rolesKey(p.Tenant): &read.roles, merchantKey(p.Tenant.Merchant): &read.merchant})
	if p.Admitted.Chosen != "" {
		into[chosenKey(p)] = &read.chosen
	}
	err := s.readFew(ctx, into)
	if err == nil {
		p, err = read.admit(p)
	}
	if err == nil && (read.merchant.Code == "" || read.accessEnded(p)) {
		err = errBadToken
	}
	if err != nil {
		return identity.Principal{}, merchant.Merchant{}, err
	}
	p.Admitted.ChosenVersion = read.chosen.Version
	return read.member.As(p, read.roles), read.merchant, nil
}

// accessEnded returns true if the person's access has ended at either merchant (contract §10). The member is then
// missing or not active, or the sign-in is too old for the member.
func (read *person) accessEnded(p identity.Principal) bool {
	counts := func(m member.Member, id string) bool {
		return m.ID == id && m.Kind() == p.Actor.Kind && m.Active() && m.Honours(p.SignedIn)
	}
	return !counts(read.member, p.Actor.ID) ||
		p.Admitted.Chosen != "" && !counts(read.chosen, p.Admitted.Chosen)
}

// chosenKey returns the key of the person's member at the merchant that the person allowed the token for.
func chosenKey(p identity.Principal) key {
	return memberKey(p.Admitted.ChosenTenant, member.NumberOf(p.Admitted.Chosen))
}

// findPrincipalAt reads the user's member of another merchant in the same mode, and returns the principal as that
// member. It returns false if the user is not a member there.
func (s *View) findPrincipalAt(ctx context.Context, p identity.Principal, user, code string) (identity.Principal, bool,
	error) {
	there := identity.Tenant{Mode: p.Tenant.Mode, Merchant: code}
	lead, err := readOne[memberLead](ctx, s, membershipKey(user, there), nil)
	if lead.MemberID == "" {
		return p, false, err
	}
	return p.Elsewhere(there, lead.MemberID), err == nil, err
}
