package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/shared/rest"
)

// maxHops limits the number of proxies. No API has so many proxies before it.
const maxHops = 10

// ParseProxies parses the number of proxies ("" for none) and the hashes, in hexadecimal with blanks between them. Its
// errors do not contain the values.
func ParseProxies(hops, hashes string) (p rest.Proxies, err error) {
	if hops != "" {
		if p.Hops, err = strconv.Atoi(hops); err != nil || p.Hops < 0 || p.Hops > maxHops {
			return p, fmt.Errorf("the proxies must be a whole number from 0 to %d", maxHops)
		}
	}
	for text := range strings.FieldsSeq(hashes) {
		hash, err := hex.DecodeString(text)
		if err != nil || len(hash) != sha256.Size {
			return p, errors.New("the hashes must be SHA-256 in hexadecimal, with blanks between them")
		}
		p.SecretHashes = append(p.SecretHashes, hash)
	}
	if p.Hops == 0 && p.SecretHashes != nil {
		return p, errors.New("the hashes need a number of proxies")
	}
	return p, nil
}
