package merchants

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
)

type listOperatorsRequest struct {
	Include        []string   `query:"include" validate:"one-of=permissions|app_settings"`
	Email          rest.Email `query:"email"` // a prefix of the address
	Query          string     `query:"query"` // also a prefix
	IncludePrimary bool       `query:"include_primary"`
}

// listOperators lists the tenant's managed users, and its owner if the request includes the primary account.
func (f family) listOperators(ctx context.Context, req listOperatorsRequest) ([]operatorView, error) {
	t := rest.Caller(ctx).Tenant
	members, err := f.store.Members(ctx, t)
	if err != nil {
		return nil, err
	}
	owner := member.OwnerID(t)
	operators := []operatorView{}
	roles, err := f.store.RolesOf(ctx, t, members...)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		listed := m.Type == member.TypeManaged || req.IncludePrimary && m.ID == owner
		if !listed || !strings.HasPrefix(m.Address(), member.Address(string(req.Email))) ||
			!strings.HasPrefix(m.Address(), member.Address(req.Query)) {
			continue
		}
		v := viewOperator(m, roles)
		if slices.Contains(req.Include, "app_settings") {
			if v.AppSettings, err = f.readAppSettings(ctx, m); err != nil {
				return nil, err
			}
		}
		operators = append(operators, v)
	}
	return operators, nil
}

// readAppSettings returns a member's app settings. The owner's app settings are recorded with the merchant.
func (f family) readAppSettings(ctx context.Context, m member.Member) (*appSettingsView, error) {
	settings := rest.Merchant(ctx).Settings.Of(rest.Caller(ctx).Tenant.Mode)
	if m.Type == member.TypeManaged {
		return viewAppSettings(m.AppSettings, settings), nil
	}
	a, err := f.store.Account(ctx, rest.Merchant(ctx).Code)
	return viewAppSettings(a.AppSettings, settings), err
}

type createOperatorRequest struct {
	Username    string                    `json:"username" validate:"required text=256 email"`
	Password    secret.Text               `json:"password" validate:"required text=256 min=12"`
	Nickname    string                    `json:"nickname" validate:"text=64"`
	Permissions *member.PermissionsChange `json:"permissions"`
}

// createOperator creates an employee's account. A repetition under the Idempotency-Key returns the account that the
// first request created.
func (f family) createOperator(ctx context.Context, req createOperatorRequest) (operatorView, error) {
	if err := rest.Merchant(ctx).CheckProfileForWrite(); err != nil {
		return operatorView{}, err
	}
	password := f.newPassword(ctx, req.Password)
	t := rest.Caller(ctx).Tenant
	m, err := f.store.CreateMember(ctx, rest.By(ctx), t, member.Address(req.Username), rest.OperationID(ctx),
		func(id string, roles member.Roles) (member.Member, error) {
			m := member.NewEmployee(id, member.Registration{Email: req.Username, Nickname: req.Nickname,
				Permissions: req.Permissions.Apply(member.Permissions{})}, nil, f.store.Now())
			if err := member.CheckMayChange(rest.Caller(ctx), member.Member{}, m, roles); err != nil {
				return m, err
			}
			return setPassword(ctx, m, password)
		})
	return f.show(ctx, t, m, err)
}

type operatorPath struct {
	ID string `path:"operator_id"`
}

// errNoOperator is also the failure for members who are not operators.
var errNoOperator = failure.NotFound("There is no such operator.")

// number parses the id. Failure: NotFound if it is not a number.
func (p operatorPath) number() (int32, error) {
	n, err := strconv.ParseInt(p.ID, 10, 32)
	if err != nil || strconv.FormatInt(n, 10) != p.ID {
		return 0, errNoOperator
	}
	return int32(n), nil
}

// retrieveOperator returns any member that listOperators may list.
func (f family) retrieveOperator(ctx context.Context, req operatorPath) (operatorView, error) {
	t := rest.Caller(ctx).Tenant
	number, err := req.number()
	if err != nil {
		return operatorView{}, err
	}
	m, err := f.store.Member(ctx, t, number)
	if err == nil && m.Type != member.TypeManaged && m.ID != member.OwnerID(t) {
		err = errNoOperator
	}
	return f.show(ctx, t, m, err)
}

type updateOperatorRequest struct {
	operatorPath
	member.KeysChoice
	Username    *string                   `json:"username" validate:"text=256 min=1 email"`
	Password    *secret.Text              `json:"password" validate:"text=256 min=12"`
	Disabled    *bool                     `json:"disabled"`
	Nickname    optional.Of[string]       `json:"nickname" validate:"text=64"`
	Permissions *member.PermissionsChange `json:"permissions"`
}

// updateOperator overwrites the fields that are sent. A new password enables the account unless disabled is true
// (contract §13.5).
func (f family) updateOperator(ctx context.Context, req updateOperatorRequest) (operatorView, error) {
	var password *store.NewPassword
	if req.Password != nil {
		password = f.newPassword(ctx, *req.Password)
	}
	address := ""
	if req.Username != nil {
		address = member.Address(*req.Username)
	}
	keys := f.chooseKeys(ctx, req.KeysChoice)
	return f.changeOperator(ctx, req.operatorPath, address, keys, func(m member.Member) (member.Member, error) {
		if password != nil && m.Passwords.SetBy(rest.OperationID(ctx)) {
			return m, nil // the request that set the password made the whole update; the account may have been disabled since
		}
		if req.Username != nil {
			m.Email = *req.Username
		}
		if req.Nickname.Given() {
			m.Nickname = req.Nickname.Or("")
		}
		m.Own = req.Permissions.Apply(m.Own)
		if req.Disabled != nil || password != nil {
			m = m.Enabled(req.Disabled == nil || !*req.Disabled, f.store.Now())
		}
		if password == nil {
			return m, nil
		}
		return setPassword(ctx, m, password)
	})
}

type leavingOperator struct {
	operatorPath
	member.KeysChoice
}

// chooseKeys returns the decision on an operator's API keys: the choice in the request, or else the merchant's setting.
func (family) chooseKeys(ctx context.Context, choice member.KeysChoice) member.Keys {
	return choice.Or(rest.Merchant(ctx).Settings.Of(rest.Caller(ctx).Tenant.Mode).KeepKeys)
}

// disableOperator disables an operator, who can then no longer sign in. The request may be repeated.
func (f family) disableOperator(ctx context.Context, req leavingOperator) (operatorView, error) {
	keys := f.chooseKeys(ctx, req.KeysChoice)
	return f.changeOperator(ctx, req.operatorPath, "", keys, func(m member.Member) (member.Member, error) {
		return m.Enabled(false, f.store.Now()), nil
	})
}

type resetOperatorPasswordRequest struct {
	operatorPath
	Password secret.Text `json:"password" validate:"required text=256 min=12"`
}

// resetOperatorPassword sets a password and changes nothing else.
func (f family) resetOperatorPassword(ctx context.Context, req resetOperatorPasswordRequest) (operatorView, error) {
	password := f.newPassword(ctx, req.Password)
	return f.changeOperator(ctx, req.operatorPath, "", member.EndKeys, func(m member.Member) (member.Member, error) {
		return setPassword(ctx, m, password)
	})
}

// deleteOperator deletes an operator. The response shows the operator as it was, but disabled.
func (f family) deleteOperator(ctx context.Context, req leavingOperator) (operatorView, error) {
	number, err := req.number()
	if err != nil {
		return operatorView{}, err
	}
	t := rest.Caller(ctx).Tenant
	m, err := f.store.DeleteMember(ctx, rest.By(ctx), t, number, rest.OperationID(ctx), f.chooseKeys(ctx, req.KeysChoice),
		f.newChangeCheck(ctx))
	return f.show(ctx, t, m.Enabled(false, f.store.Now()), err)
}

// changeOperator changes an operator. If address is empty, the old address stays. keys decides the fate of the
// operator's API keys when the operator is disabled.
func (f family) changeOperator(ctx context.Context, path operatorPath, address string, keys member.Keys,
	change func(member.Member) (member.Member, error)) (operatorView, error) {
	number, err := path.number()
	if err != nil {
		return operatorView{}, err
	}
	t, check := rest.Caller(ctx).Tenant, f.newChangeCheck(ctx)
	m, err := f.store.UpdateMember(ctx, rest.By(ctx), t, number, address, keys,
		func(m member.Member, roles member.Roles) (member.Member, error) {
			if refused := check(m, roles); refused != nil {
				return m, refused
			}
			after, refused := change(m)
			if refused == nil {
				refused = member.CheckMayChange(rest.Caller(ctx), m, after, roles)
			}
			return after, refused
		})
	return f.show(ctx, t, m, err)
}

// newChangeCheck returns a check that refuses an owner's account, and an account with rights that the caller could not
// give. Failures: Forbidden; NotFound for other members, which these operations do not show.
func (f family) newChangeCheck(ctx context.Context) func(member.Member, member.Roles) error {
	owner := member.OwnerID(rest.Caller(ctx).Tenant)
	return func(m member.Member, roles member.Roles) error {
		switch {
		case m.Operator():
			return member.CheckMayChange(rest.Caller(ctx), m, member.Member{}, roles)
		case m.Type == member.TypeManaged || m.ID == owner:
			return failure.Denied("This account is not an operator's, so these operations do not change it.")
		default:
			return errNoOperator
		}
	}
}

// operatorView is the response object of contract §7.4.
type operatorView struct {
	ID          int32              `json:"id"`
	Username    string             `json:"username"`
	Nickname    *string            `json:"nickname"`
	AccountType string             `json:"account_type"`
	Disabled    bool               `json:"disabled"`
	Permissions member.Permissions `json:"permissions"`
	AppSettings *appSettingsView   `json:"app_settings,omitempty"`
	CreatedAt   rest.Timestamp     `json:"created_at"`
	UpdatedAt   rest.Timestamp     `json:"updated_at"`
}

func (f family) show(ctx context.Context, t identity.Tenant, m member.Member, err error) (operatorView, error) {
	if err != nil {
		return operatorView{}, err
	}
	roles, err := f.store.RolesOf(ctx, t, m)
	return viewOperator(m, roles), err
}

func viewOperator(m member.Member, roles member.Roles) operatorView {
	v := operatorView{ID: m.Number(), Username: m.Email, AccountType: accountType(m), Disabled: m.Disabled(),
		Permissions: m.Granted(roles), CreatedAt: rest.Timestamp(m.CreatedAt),
		UpdatedAt: rest.Timestamp(m.UpdatedAt)}
	if m.Nickname != "" {
		v.Nickname = &m.Nickname
	}
	return v
}

func accountType(m member.Member) string {
	if m.Type == member.TypeManaged {
		return "operator"
	}
	return "normal"
}

func (f family) newPassword(ctx context.Context, text secret.Text) *store.NewPassword {
	return f.store.PasswordOf(rest.Caller(ctx).Tenant, rest.OperationID(ctx), text)
}

// setPassword sets the member's password. Failures: Invalid if the password was used before, or is too short or common;
// TooMany.
func setPassword(ctx context.Context, m member.Member, p *store.NewPassword) (_ member.Member, err error) {
	m.Passwords, err = p.Set(ctx, m.Passwords)
	if errors.Is(err, member.ErrUsedBefore) {
		err = failure.Invalid("password", "must not be one that was used before")
	}
	return m, member.RefusedPassword("password", err)
}
