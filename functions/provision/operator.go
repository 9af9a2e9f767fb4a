package provision

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// updateOperator changes what only the platform's operator may change of a merchant's
// operator: the settings of its applications (contract §13.9). Those left out stay.
type updateOperator struct {
	MerchantCode string          `json:"merchant_code" validate:"required"`
	Mode         string          `json:"mode"`
	OperatorID   int32           `json:"operator_id" validate:"required"`
	AppSettings  json.RawMessage `json:"app_settings" validate:"required"`
}

type operatorUpdated struct {
	OperatorID  int32                `json:"operator_id"`
	AppSettings merchant.AppSettings `json:"app_settings"`
}

func (o operator) updateOperator(ctx context.Context, c updateOperator) (operatorUpdated, error) {
	t, err := o.tenantOf(ctx, c.MerchantCode, c.Mode)
	if err != nil {
		return operatorUpdated{}, err
	}
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

// mergeAppSettings overwrites the settings that are given. Failure: Invalid.
func mergeAppSettings(s *merchant.AppSettings, change json.RawMessage) error {
	s.TipRates = slices.Clone(s.TipRates) // decoding would overwrite what was read
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
