package provision

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// updateOperator changes an operator's app settings, which merchants cannot change (contract §13.9). Settings that are
// not given stay.
type updateOperator struct {
	tenantArguments
	OperatorID  int32           `json:"operator_id" validate:"required"`
	AppSettings json.RawMessage `json:"app_settings" validate:"required"`
}

type operatorUpdated struct {
	OperatorID  int32                `json:"operator_id"`
	AppSettings merchant.AppSettings `json:"app_settings"`
}

func (o operator) updateOperator(ctx context.Context, t identity.Tenant, c updateOperator) (operatorUpdated, error) {
	change := func(m member.Member, _ member.Roles) (member.Member, error) {
		if m.Type != member.TypeManaged {
			return m, failure.NotFound("There is no such operator.")
		}
		return m, mergeAppSettings(&m.AppSettings, c.AppSettings)
	}
	m, err := o.Store.UpdateMember(ctx, o.by, t, c.OperatorID, "", member.EndKeys, change)
	if err != nil {
		return operatorUpdated{}, err
	}
	o.Log.InfoContext(ctx, "operator updated", "merchant", t.Merchant, "operator", m.Number())
	return operatorUpdated{OperatorID: m.Number(), AppSettings: m.AppSettings.OrDefaults()}, nil
}

// mergeAppSettings overwrites the given settings. Failure: Invalid.
func mergeAppSettings(s *merchant.AppSettings, change json.RawMessage) error {
	s.TipRates = slices.Clone(s.TipRates) // decoding would overwrite the stored slice
	err := decode(change, s)
	if err == nil {
		err = validate.Forms(*s).First()
	}
	switch {
	case err == nil:
		return nil
	case failure.Of(err).Param == "":
		return failure.Invalid("app_settings", "must be an object")
	default:
		return failure.Of(err).In("app_settings")
	}
}

// setPassword gives a user of the merchant a random password, valid at all the user's merchants. An owner has no
// password at first, and users forget their passwords. Managed users get their passwords from the merchant. A new
// password ends the user's sessions and grants (contract §10).
type setPassword struct {
	tenantArguments
	Email string `json:"email" validate:"required text=256"`
}

type passwordSet struct {
	MerchantCode string `json:"merchant_code"`
	Mode         string `json:"mode"`
	Email        string `json:"email"`
	Password     string `json:"password"` // shown once
}

func (o operator) setPassword(ctx context.Context, t identity.Tenant, c setPassword) (passwordSet, error) {
	password, err := member.NewPassword(rand.Reader)
	if err != nil {
		return passwordSet{}, err
	}
	operation := "set_password " + uuid.NewString()
	m, err := o.Store.SetUserPassword(ctx, o.by, t, member.Address(c.Email), o.Store.PasswordByOperator(operation,
		password))
	if err != nil {
		return passwordSet{}, err
	}
	o.Log.InfoContext(ctx, "password set", "merchant", t.Merchant, "member", m.ID)
	return passwordSet{MerchantCode: t.Merchant, Mode: t.Mode.Name(), Email: m.Email, Password: password.Reveal()}, nil
}

// removeSecondFactor turns off the second factor of a member who lost the app and the recovery codes. The password
// stays.
type removeSecondFactor struct {
	tenantArguments
	Email string `json:"email" validate:"required text=256"`
}

type secondFactorRemoved struct {
	MerchantCode string `json:"merchant_code"`
	Mode         string `json:"mode"`
	Email        string `json:"email"`
	Removed      bool   `json:"removed"`
}

func (o operator) removeSecondFactor(ctx context.Context, t identity.Tenant, c removeSecondFactor) (
	secondFactorRemoved, error) {
	m, err := o.Store.MemberByAddress(ctx, t, member.Address(c.Email))
	if err == nil {
		err = o.Store.RemoveSecondFactor(ctx, o.by, t, m)
	}
	if err != nil {
		return secondFactorRemoved{}, err
	}
	o.Log.InfoContext(ctx, "second factor removed", "merchant", t.Merchant, "member", m.ID)
	return secondFactorRemoved{MerchantCode: t.Merchant, Mode: t.Mode.Name(), Email: m.Email, Removed: true}, nil
}
