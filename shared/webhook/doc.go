// Package webhook signs, verifies and delivers callbacks (contract §11).
//
// Signatures follow Standard Webhooks: v1 (HMAC-SHA256, one per active merchant
// secret) and v1a (Ed25519, always). Delivery goes only to public addresses:
// [CheckURL] refuses a bad target when a merchant names it, and the dialer
// behind [Client] judges the address that is really dialled, so a name that
// changes its mind between the two (DNS rebinding) gains nothing.
package webhook
