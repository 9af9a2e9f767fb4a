package payments

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// A transaction's id is random, and its code is a digest of the id. The internal id, the client transaction id and the
// ids of the transaction's events contain the number of the code. So each of these identifiers leads to the code, and
// one read by code finds the transaction without lookup items. The foreign transaction id is chosen by the client, and
// is found by a lookup item.

// codeCount is the number of transaction codes: nine digits of base 36.
const codeCount = 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36

func codeNumber(id string) uint64 {
	sum := sha256.Sum256([]byte("transaction code " + id))
	return binary.BigEndian.Uint64(sum[:8]) % codeCount
}

// formatCode returns "T" and nine capitals or digits (contract §6.1).
func formatCode(number uint64) string {
	return fmt.Sprintf("T%09s", strings.ToUpper(strconv.FormatUint(number, 36)))
}

// CodeOfID returns the transaction code for a transaction's id. Any text has a code, even without a transaction.
func CodeOfID(id string) string { return formatCode(codeNumber(id)) }

// CodeWithin returns the code in a client transaction id or an event's id; false if the text cannot be such an id.
func CodeWithin(id string) (string, bool) {
	u, err := uuid.Parse(id)
	if err != nil || len(id) != 36 {
		return "", false
	}
	var eight [8]byte
	copy(eight[2:], u[:6])
	number := binary.BigEndian.Uint64(eight[:])
	return formatCode(number), number < codeCount
}

// CodeOfInternalID returns the code of the transaction with the internal id; false for an impossible number.
func CodeOfInternalID(id int64) (string, bool) {
	number := uint64(max(id, 0)) >> internalBits
	return formatCode(number), id >= 0 && number < codeCount
}

// internalBits is the number of bits that a digest fills in an internal id. The id has 53 bits, which every client's
// number type holds exactly.
const internalBits = 6

// InternalID returns the numeric id that some clients use (contract §14, number 11).
func (t CheckoutTransaction) InternalID() int64 {
	sum := sha256.Sum256([]byte("internal id " + t.ID))
	number := codeNumber(t.ID)<<internalBits | uint64(sum[0])>>(8-internalBits)
	return int64(number & (1<<53 - 1))
}

// uuidWithCode returns a UUID of v4 shape: a code's number in the first six bytes, then a digest of the seed.
func uuidWithCode(number uint64, seed string) string {
	sum := sha256.Sum256([]byte(seed))
	var eight [8]byte
	binary.BigEndian.PutUint64(eight[:], number)
	copy(sum[:6], eight[2:])
	return FormatUUIDv4(sum[:])
}

// ClientTransactionID derives the client transaction id from the attempt's id. So the id is the same at every retry,
// and is known before the transaction exists.
func ClientTransactionID(id string) string {
	return uuidWithCode(codeNumber(id), "client transaction "+id)
}

// eventID derives an event's id from its transaction and its cause, so that a repeated cause finds the event.
func eventID(transactionID, cause string) string {
	return uuidWithCode(codeNumber(transactionID), "event "+transactionID+"\x00"+cause)
}

// MerchantNumericID returns a merchant's id of 53 bits for clients that use numeric ids (contract §6.1).
func MerchantNumericID(code string) int64 { return NumericID("merchant " + code) }

// NumericID derives a positive number of 53 bits from the seed.
func NumericID(seed string) int64 {
	sum := sha256.Sum256([]byte(seed))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 11)
}
