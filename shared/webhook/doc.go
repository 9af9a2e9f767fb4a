// Package webhook signs, verifies and delivers callbacks (contract §11). A [Sender] signs and posts a [Message].
// [Verify] checks a message as a receiver does.
//
// Signatures follow Standard Webhooks. There is one v1 signature (HMAC-SHA256) for each active secret of the merchant,
// and always a v1a signature (Ed25519) for each signing key. Callbacks go only to public addresses. [CheckURL] refuses
// a bad target when a merchant sets it. The dialer behind [Client] checks the address that it dials, so DNS rebinding
// does not help an attacker.
package webhook
