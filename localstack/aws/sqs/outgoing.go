package sqs

import (
	"regexp"
	"strings"
	"time"
)

// outgoing holds a producer's parameters of one message, alone or in a batch.
type outgoing struct {
	MessageBody    *string
	DelaySeconds   *int
	MessageGroupId *string
}

// groupID matches the id of a message group: up to 128 printable ASCII characters.
var groupID = regexp.MustCompile(`^[!-~]{1,128}$`)

func (o outgoing) check(q *queue) error {
	if o.MessageBody == nil || *o.MessageBody == "" {
		return fail(missingParameter, "The request must contain the parameter MessageBody.")
	}
	if strings.ContainsFunc(*o.MessageBody, isForbidden) {
		return fail(invalidContents, "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | "+
			"#x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF")
	}
	if most := q.number(maximumMessageSize); o.size() > most {
		return fail(invalidParameter,
			"One or more parameters are invalid. Reason: Message must be shorter than %d bytes.", most)
	}
	if d := o.DelaySeconds; d != nil && (*d < 0 || *d > maxDelay) {
		return invalid(*d, "DelaySeconds", "DelaySeconds must be >= 0 and <= %d.", maxDelay)
	}
	if id := o.MessageGroupId; id != nil && !groupID.MatchString(*id) {
		return invalid(*id, "MessageGroupId", "MessageGroupId can only include alphanumeric and punctuation characters. 1 "+
			"to 128 in length.")
	}
	return nil
}

// isForbidden returns true for a character outside of XML 1.0. A message cannot contain such characters.
func isForbidden(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r >= 0x20 && r <= 0xD7FF, r >= 0xE000 && r <= 0xFFFD, r >= 0x10000:
		return false
	}
	return true
}

// size returns the message's size in bytes, as limited by the service.
func (o outgoing) size() int {
	if o.MessageBody == nil {
		return 0
	}
	return len(*o.MessageBody)
}

func (o outgoing) delay(q *queue) time.Duration {
	if o.DelaySeconds != nil {
		return time.Duration(*o.DelaySeconds) * time.Second
	}
	return q.seconds(delaySeconds)
}
