// Package webhook signs, verifies and delivers callbacks (contract §11). A [Sender] signs and posts a [Message];
// [Verify] checks it as a receiver does.
//
// Signatures follow Standard Webhooks: v1 (HMAC-SHA256, one per active merchant secret) and v1a (Ed25519, always).
// Callbacks go only to public addresses: [CheckURL] refuses a bad target when a merchant sets it, and the dialer behind
// [Client] checks the dialled address, so DNS rebinding gains nothing.
package webhook
