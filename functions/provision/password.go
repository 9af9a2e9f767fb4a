package provision

import (
	"context"
	"crypto/rand"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/member"
)

// setPassword gives a user who is a member of the merchant a random password: an owner has none
// at first, and users forget theirs. A user has one password for all merchants. Sessions and
// grants by the old one end (contract §10). Managed users get theirs from the merchant.
type setPassword struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	Mode         string `json:"mode"` // in which the user is a member; the first key's unless given
	Email        string `json:"email" validate:"required text=256"`
}

type passwordSet struct {
	MerchantCode string `json:"merchant_code"`
	Mode         string `json:"mode"`
	Email        string `json:"email"`
	Password     string `json:"password"` // shown once
}

func (o operator) setPassword(ctx context.Context, c setPassword) (passwordSet, error) {
	t, err := o.tenantOf(ctx, c.MerchantCode, c.Mode)
	if err != nil {
		return passwordSet{}, err
	}
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
