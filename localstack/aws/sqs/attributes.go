package sqs

import (
	"encoding/json"
	"maps"
	"strconv"
	"time"
)

// Names of the settable queue attributes.
const (
	contentBasedDeduplication = "ContentBasedDeduplication"
	deduplicationScope        = "DeduplicationScope"
	delaySeconds              = "DelaySeconds"
	fifoQueue                 = "FifoQueue"
	fifoThroughputLimit       = "FifoThroughputLimit"
	kmsDataKeyReusePeriod     = "KmsDataKeyReusePeriodSeconds"
	kmsMasterKeyID            = "KmsMasterKeyId"
	maximumMessageSize        = "MaximumMessageSize"
	messageRetentionPeriod    = "MessageRetentionPeriod"
	receiveMessageWaitTime    = "ReceiveMessageWaitTimeSeconds"
	redrivePolicy             = "RedrivePolicy"
	sseEnabled                = "SqsManagedSseEnabled"
	visibilityTimeout         = "VisibilityTimeout"
)

// Names of the attributes that the engine computes.
const (
	countDelayed    = "ApproximateNumberOfMessagesDelayed"
	countInflight   = "ApproximateNumberOfMessagesNotVisible"
	countVisible    = "ApproximateNumberOfMessages"
	createdTime     = "CreatedTimestamp"
	lastModified    = "LastModifiedTimestamp"
	queueARN        = "QueueArn"
	everyAttribute  = "All"
	maxVisibility   = 12 * 60 * 60 // seconds
	maxDelay        = 900          // seconds
	maxWait         = 20           // seconds
	maxMessageBytes = 1 << 20
)

// ranges of the numeric attributes, in the units of the API reference.
var ranges = map[string]struct{ least, most int }{
	delaySeconds:           {0, maxDelay},
	kmsDataKeyReusePeriod:  {60, 86400},
	maximumMessageSize:     {1024, maxMessageBytes},
	messageRetentionPeriod: {60, 1209600},
	receiveMessageWaitTime: {0, maxWait},
	visibilityTimeout:      {0, maxVisibility},
}

// choices of the attributes with fixed values.
var choices = map[string][2]string{
	contentBasedDeduplication: {"true", "false"},
	deduplicationScope:        {"queue", "messageGroup"},
	fifoThroughputLimit:       {"perQueue", "perMessageGroupId"},
	sseEnabled:                {"true", "false"},
}

func defaults(fifo bool) map[string]string {
	d := map[string]string{
		delaySeconds:           "0",
		maximumMessageSize:     strconv.Itoa(maxMessageBytes),
		messageRetentionPeriod: "345600",
		receiveMessageWaitTime: "0",
		sseEnabled:             "true",
		visibilityTimeout:      "30",
	}
	if fifo {
		d[fifoQueue] = "true"
		d[contentBasedDeduplication] = "false"
		d[deduplicationScope] = "queue"
		d[fifoThroughputLimit] = "perQueue"
	}
	return d
}

// seconds is the value of a numeric attribute in seconds, which every queue has.
func (q *queue) seconds(name string) time.Duration {
	return time.Duration(q.number(name)) * time.Second
}

func (q *queue) number(name string) int {
	n, err := strconv.Atoi(q.Attributes[name])
	if err != nil {
		panic("sqs: unchecked attribute " + name + ": " + err.Error())
	}
	return n
}

// merge checks changes and returns the attributes they lead to. "" takes RedrivePolicy away.
func (e *Engine) merge(name string, old, changes map[string]string) (map[string]string, error) {
	merged := maps.Clone(old)
	for attribute, value := range changes {
		value, err := e.checked(attribute, value, old)
		if err != nil {
			return nil, err
		}
		if value == "" {
			delete(merged, attribute)
		} else {
			merged[attribute] = value
		}
	}
	if merged[fifoThroughputLimit] == "perMessageGroupId" && merged[deduplicationScope] != "messageGroup" {
		return nil, fail(invalidAttribute, "perMessageGroupId is only allowed when the DeduplicationScope is messageGroup.")
	}
	return merged, e.checkRedrive(name, merged)
}

// checked returns a valid value as it is kept. Attributes of FIFO queues are unknown to the others.
func (e *Engine) checked(attribute, value string, old map[string]string) (string, error) {
	_, isOld := old[attribute]
	if r, ok := ranges[attribute]; ok {
		n, err := strconv.Atoi(value)
		if err != nil || n < r.least || n > r.most {
			return "", fail(invalidAttribute, "Invalid value for the parameter %s.", attribute)
		}
		return strconv.Itoa(n), nil
	}
	if c, ok := choices[attribute]; ok && isOld {
		if value != c[0] && value != c[1] {
			return "", fail(invalidAttribute, "Invalid value for the parameter %s.", attribute)
		}
		return value, nil
	}
	switch {
	case attribute == fifoQueue && isOld:
		if value != "true" {
			return "", fail(invalidAttribute, "Invalid value for the parameter FifoQueue.")
		}
		return value, nil
	case attribute == redrivePolicy && value != "":
		r, err := parseRedrive(value)
		if err != nil {
			return "", err
		}
		return r.String(), nil
	case attribute == redrivePolicy, attribute == kmsMasterKeyID:
		return value, nil
	}
	return "", fail(invalidAttributeName, "Unknown Attribute %s.", attribute)
}

// redrive is the RedrivePolicy attribute.
type redrive struct {
	Target  string      `json:"deadLetterTargetArn"`
	Maximum json.Number `json:"maxReceiveCount"` // AWS takes a number or a numeric string
}

func (r redrive) maximum() int {
	n, err := strconv.Atoi(r.Maximum.String())
	if err != nil {
		return 0
	}
	return n
}

func (r redrive) String() string {
	b, err := json.Marshal(r)
	if err != nil {
		panic("sqs: redrive policy: " + err.Error())
	}
	return string(b)
}

const maxReceiveCount = 1000

func parseRedrive(value string) (redrive, error) {
	var r redrive
	if err := json.Unmarshal([]byte(value), &r); err != nil {
		return r, fail(invalidParameter,
			"Value %s for parameter RedrivePolicy is invalid. Reason: Redrive policy is not a valid JSON map.", value)
	}
	if n := r.maximum(); n < 1 || n > maxReceiveCount {
		return r, fail(invalidParameter,
			"Value %s for parameter RedrivePolicy is invalid. Reason: Invalid value for maxReceiveCount: %s, "+
				"valid values are from 1 to %d both inclusive.", value, r.Maximum, maxReceiveCount)
	}
	return r, nil
}

// checkRedrive wants the dead-letter queue to exist and to be of the same type.
func (e *Engine) checkRedrive(name string, attributes map[string]string) error {
	value, ok := attributes[redrivePolicy]
	if !ok {
		return nil
	}
	r, err := parseRedrive(value)
	if err != nil {
		return err
	}
	target := e.byARN(r.Target)
	if target == nil || target.Name == name {
		return fail(invalidParameter,
			"Value %s for parameter RedrivePolicy is invalid. Reason: Dead letter target does not exist.", value)
	}
	if target.fifo() != (attributes[fifoQueue] == "true") {
		return fail(invalidParameter, "Value %s for parameter RedrivePolicy is invalid. Reason: Dead-letter queue must "+
			"be of the same type as the source queue.", value)
	}
	return nil
}

func (e *Engine) byARN(arn string) *queue {
	for name, q := range e.queues {
		if e.arn(name) == arn {
			return q
		}
	}
	return nil
}
