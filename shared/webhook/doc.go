// Package webhook signs, verifies and delivers callbacks (contract §11).
//
// Signatures follow Standard Webhooks: v1 (HMAC-SHA256, one per active merchant
// secret) and v1a (Ed25519, always). Delivery goes only to public addresses:
// [CheckURL] refuses a bad target when a merchant sets it, and the dialer behind
// [Client] checks the address that is really dialled, so changing a name's address
// in between (DNS rebinding) gains nothing.
package webhook
