package sqs

import (
	"regexp"
	"strings"
	"time"
)

const (
	maxAttributes  = 10
	awsTraceHeader = "AWSTraceHeader"
)

// outgoing is what a producer says of one message, alone or in a batch.
type outgoing struct {
	MessageBody             *string
	DelaySeconds            *int
	MessageAttributes       map[string]attribute
	MessageSystemAttributes map[string]attribute
	MessageGroupId          *string
}

var (
	attributeName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,256}$`)
	// groupID is what a message group's id may look like: up to 128 printable ASCII characters.
	groupID = regexp.MustCompile(`^[!-~]{1,128}$`)
)

// check applies the rules of the queue.
func (o outgoing) check(q *queue) error {
	if o.MessageBody == nil || *o.MessageBody == "" {
		return fail(missingParameter, "The request must contain the parameter MessageBody.")
	}
	if strings.ContainsFunc(*o.MessageBody, forbidden) {
		return fail(invalidContents, "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | "+
			"#x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF")
	}
	if err := checkAttributes(o.MessageAttributes); err != nil {
		return err
	}
	for name, a := range o.MessageSystemAttributes {
		if name != awsTraceHeader || a.DataType != "String" || len(a.value()) == 0 {
			return fail(invalidParameter, "Message system attribute name '%s' is invalid.", name)
		}
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

func checkAttributes(attributes map[string]attribute) error {
	if len(attributes) > maxAttributes {
		return fail(invalidParameter,
			"Number of message attributes [%d] exceeds the allowed maximum [%d].", len(attributes), maxAttributes)
	}
	for name, a := range attributes {
		if !validAttributeName(name) {
			return fail(invalidParameter, "Invalid message attribute name '%s'.", name)
		}
		switch typeOf(a.DataType) {
		case "String", "Number", "Binary":
		default:
			return fail(invalidParameter, "The message attribute '%s' has an invalid message attribute type, the set of "+
				"supported type prefixes is Binary, Number, and String.", name)
		}
		if len(a.value()) == 0 {
			return fail(invalidParameter, "The message attribute '%s' must contain non-empty message attribute value "+
				"for message attribute type '%s'.", name, a.DataType)
		}
	}
	return nil
}

func validAttributeName(name string) bool {
	lower := strings.ToLower(name)
	return attributeName.MatchString(name) &&
		!strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".") && !strings.Contains(name, "..") &&
		!strings.HasPrefix(lower, "aws.") && !strings.HasPrefix(lower, "amazon.")
}

// forbidden reports characters outside XML 1.0's, which messages can't contain.
func forbidden(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r >= 0x20 && r <= 0xD7FF, r >= 0xE000 && r <= 0xFFFD, r >= 0x10000:
		return false
	}
	return true
}

// size is what the limits count, in bytes: the body, and the name, type and value of each attribute.
func (o outgoing) size() int {
	n := 0
	if o.MessageBody != nil {
		n = len(*o.MessageBody)
	}
	for name, a := range o.MessageAttributes {
		n += len(name) + len(a.DataType) + len(a.value())
	}
	return n
}

func (o outgoing) delay(q *queue) time.Duration {
	if o.DelaySeconds != nil {
		return time.Duration(*o.DelaySeconds) * time.Second
	}
	return q.seconds(delaySeconds)
}
