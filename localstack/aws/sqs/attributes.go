package sqs

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Names of the settable queue attributes.
const (
	delaySeconds           = "DelaySeconds"
	maximumMessageSize     = "MaximumMessageSize"
	messageRetentionPeriod = "MessageRetentionPeriod"
	receiveMessageWaitTime = "ReceiveMessageWaitTimeSeconds"
	redrivePolicy          = "RedrivePolicy"
	visibilityTimeout      = "VisibilityTimeout"
)

// Names of the attributes that the engine computes, the name that stands for all attributes, and limits of values.
const (
	countDelayed    = "ApproximateNumberOfMessagesDelayed"
	countInflight   = "ApproximateNumberOfMessagesNotVisible"
	countVisible    = "ApproximateNumberOfMessages"
	createdTime     = "CreatedTimestamp"
	queueARN        = "QueueArn"
	everyAttribute  = "All"
	maxVisibility   = 12 * 60 * 60 // seconds
	maxDelay        = 900          // seconds
	maxWait         = 20           // seconds
	maxMessageBytes = 1 << 20
)

// numeric holds the ranges and defaults of numeric attributes, in the units of the API reference.
var numeric = map[string]struct{ least, most, otherwise int }{
	delaySeconds:           {0, maxDelay, 0},
	maximumMessageSize:     {1024, maxMessageBytes, maxMessageBytes},
	messageRetentionPeriod: {60, 1209600, 345600},
	receiveMessageWaitTime: {0, maxWait, 0},
	visibilityTimeout:      {0, maxVisibility, 30},
}

// seconds returns the duration in a numeric attribute whose unit is seconds. Every queue has all numeric attributes.
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

// completeAttributes checks the attributes given for a new queue and adds defaults for the others.
func (e *Engine) completeAttributes(name string, given map[string]string) (map[string]string, error) {
	all := map[string]string{}
	for attribute, n := range numeric {
		all[attribute] = strconv.Itoa(n.otherwise)
	}
	for attribute, value := range given {
		valid, err := parseAttribute(attribute, value)
		if err != nil {
			return nil, err
		}
		all[attribute] = valid
	}
	return all, e.checkRedrive(name, all)
}

// parseAttribute returns a valid value in the form to store.
func parseAttribute(attribute, value string) (string, error) {
	if r, ok := numeric[attribute]; ok {
		n, err := strconv.Atoi(value)
		if err != nil || n < r.least || n > r.most {
			return "", fail(invalidAttribute, "Invalid value for the parameter %s.", attribute)
		}
		return strconv.Itoa(n), nil
	}
	if attribute == redrivePolicy {
		r, err := parseRedrive(value)
		if err != nil {
			return "", err
		}
		return r.String(), nil
	}
	return "", fail(invalidAttributeName, "Unknown Attribute %s.", attribute)
}

type redrive struct {
	Target  string      `json:"deadLetterTargetArn"`
	Maximum json.Number `json:"maxReceiveCount"` // AWS accepts a number or a numeric string
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
		return r, invalid(value, "RedrivePolicy", "Redrive policy is not a valid JSON map.")
	}
	if n := r.maximum(); n < 1 || n > maxReceiveCount {
		return r, invalid(value, "RedrivePolicy", "Invalid value for maxReceiveCount: %s, valid values are from 1 to %d "+
			"both inclusive.", r.Maximum, maxReceiveCount)
	}
	return r, nil
}

// checkRedrive checks that the dead-letter queue exists.
func (e *Engine) checkRedrive(name string, attributes map[string]string) error {
	value, ok := attributes[redrivePolicy]
	if !ok {
		return nil
	}
	r, err := parseRedrive(value)
	if err != nil {
		return err
	}
	target := e.queueByARN(r.Target)
	if target == nil || target.Name == name {
		return invalid(value, "RedrivePolicy", "Dead letter target does not exist.")
	}
	return nil
}

func (e *Engine) queueByARN(arn string) *queue {
	if name, ours := strings.CutPrefix(arn, e.arn("")); ours {
		return e.queues[name]
	}
	return nil
}
