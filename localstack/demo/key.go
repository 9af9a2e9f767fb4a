package demo

import (
	"context"
	"net/http"
)

// restrict makes a key that may only create checkouts. It is refused a refund, and after it was revoked everything.
func (s *scenario) restrict(ctx context.Context) error {
	keys := "/v0.1/merchants/" + s.MerchantCode + "/api-keys"
	var made struct{ ID, Plaintext, Preview string }
	if err := s.call(ctx, "POST", keys, object{"name": "Till " + s.run, "scopes": []string{"checkouts.write"}},
		http.StatusCreated, &made); err != nil {
		return err
	}
	if err := s.expect(made.Plaintext != "", "a key (it is shown once, and not here)"); err != nil {
		return err
	}
	till := *s
	till.APIKey = made.Plaintext
	s.print.line("\nWith that key:")
	if _, err := till.create(ctx, "till", "3.20", nil); err != nil {
		return err
	}
	refund := func(status int) error {
		return till.call(ctx, "POST", "/v0.1/me/refund/"+s.code, object{}, status, nil)
	}
	if err := refund(http.StatusForbidden); err != nil {
		return err
	}
	s.print.line("✓ a refund is refused: the key has no scope for it\n\nThe merchant revokes the key:")
	if err := s.call(ctx, "DELETE", keys+"/"+made.ID, nil, http.StatusNoContent, nil); err != nil {
		return err
	}
	s.print.line("\nWith that key:")
	if err := refund(http.StatusUnauthorized); err != nil {
		return err
	}
	s.print.line("✓ the next request is refused")
	return nil
}
