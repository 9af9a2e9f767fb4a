package provision

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/member"
)

// removeSecondFactor turns off the second factor of a member, a user or a managed user, who has
// lost both the authenticator app and the recovery codes. The password stays.
type removeSecondFactor struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	Mode         string `json:"mode"` // in which the person is a member; the first key's unless given
	Email        string `json:"email" validate:"required text=256"`
}

type secondFactorRemoved struct {
	MerchantCode string `json:"merchant_code"`
	Mode         string `json:"mode"`
	Email        string `json:"email"`
	Removed      bool   `json:"removed"`
}

func (o operator) removeSecondFactor(ctx context.Context, c removeSecondFactor) (secondFactorRemoved, error) {
	t, err := o.tenantOf(ctx, c.MerchantCode, c.Mode)
	if err != nil {
		return secondFactorRemoved{}, err
	}
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
