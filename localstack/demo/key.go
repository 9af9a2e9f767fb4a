package demo

import "net/http"

// restrict makes a key that may only create checkouts. It is refused a refund, and after it was revoked everything.
func (s *scenario) restrict() {
	keys := "/v0.1/merchants/" + s.MerchantCode + "/api-keys"
	var made struct{ ID, Plaintext, Preview string }
	s.call("POST", keys, object{"name": "Till " + s.run, "scopes": []string{"checkouts.write"}}, http.StatusCreated, &made)
	s.expect(made.Plaintext != "", "a key (it is shown once, and not here)")
	till := s.with(made.Plaintext)
	s.print.line("\nWith that key:")
	till.create("till", "3.20", nil)
	refund := "/v0.1/me/refund/" + s.code
	till.call("POST", refund, object{}, http.StatusForbidden, nil)
	s.print.line("✓ a refund is refused: the key has no scope for it\n\nThe merchant revokes the key:")
	s.call("DELETE", keys+"/"+made.ID, nil, http.StatusNoContent, nil)
	s.print.line("\nWith that key:")
	till.call("POST", refund, object{}, http.StatusUnauthorized, nil)
	s.print.line("✓ the next request is refused")
}
