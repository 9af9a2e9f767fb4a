package sqs

import (
	"encoding/base64"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// deleteRest is how long the name of a deleted queue can't be used, purgeRest how long the next purge must wait.
	deleteRest = 60 * time.Second
	purgeRest  = 60 * time.Second
	maxList    = 1000
	fifoSuffix = ".fifo"
)

var queueName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

type (
	empty       struct{}
	queueInput  struct{ QueueUrl string }
	queueOutput struct{ QueueUrl string }

	createQueueInput struct {
		QueueName  string
		Attributes map[string]string
	}
	getQueueURLInput struct {
		QueueName              string
		QueueOwnerAWSAccountId string
	}
	getQueueAttributesInput struct {
		QueueUrl       string
		AttributeNames []string
	}
	queueAttributes struct {
		Attributes map[string]string `json:",omitempty"`
	}
	setQueueAttributesInput struct {
		QueueUrl   string
		Attributes map[string]string
	}
	listQueuesInput struct {
		QueueNamePrefix string
		MaxResults      *int
		NextToken       string
	}
	listQueuesOutput struct {
		QueueUrls []string
		NextToken string `json:",omitempty"`
	}
)

// createQueue is idempotent: an existing queue is returned when it has every attribute that was given.
func (e *Engine) createQueue(c call, in createQueueInput) (queueOutput, error) {
	fifo := in.Attributes[fifoQueue] == "true"
	if err := checkQueueName(in.QueueName, fifo); err != nil {
		return queueOutput{}, err
	}
	attributes, err := e.merge(in.QueueName, defaults(fifo), in.Attributes)
	if err != nil {
		return queueOutput{}, err
	}
	if existing := e.queues[in.QueueName]; existing != nil {
		for name := range in.Attributes {
			if existing.Attributes[name] != attributes[name] {
				return queueOutput{}, fail(queueNameExists,
					"A queue already exists with the same name and a different value for attribute %s", name)
			}
		}
		return queueOutput{e.url(c, in.QueueName)}, nil
	}
	now := e.now()
	if at, ok := e.deleted[in.QueueName]; ok && now.Sub(at) < deleteRest {
		return queueOutput{}, fail(queueDeletedRecently,
			"You must wait 60 seconds after deleting a queue before you can create another with the same name.")
	}
	if fifo && e.log != nil {
		return queueOutput{}, fail(unsupported, "FIFO queues cannot be kept in a log.")
	}
	q := newQueue(in.QueueName, attributes, now)
	if err := e.persist(note{Queue: q}); err != nil {
		return queueOutput{}, err
	}
	e.define(q)
	return queueOutput{e.url(c, in.QueueName)}, nil
}

func checkQueueName(name string, fifo bool) error {
	if name == "" {
		return fail(missingParameter, "The request must contain the parameter QueueName.")
	}
	plain, suffixed := strings.CutSuffix(name, fifoSuffix)
	if fifo && !suffixed {
		return fail(invalidParameter, "The name of a FIFO queue can only include alphanumeric characters, hyphens, or "+
			"underscores, must end with .fifo suffix and be 1 to 80 in length.")
	}
	if !fifo && suffixed || len(name) > 80 || !queueName.MatchString(plain) {
		return fail(invalidParameter,
			"Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length")
	}
	return nil
}

func (e *Engine) getQueueURL(c call, in getQueueURLInput) (queueOutput, error) {
	if owner := in.QueueOwnerAWSAccountId; owner != "" && owner != e.config.Account {
		return queueOutput{}, fail(queueDoesNotExist, "The specified queue does not exist.")
	}
	q, err := e.queueNamed(in.QueueName)
	if err != nil {
		return queueOutput{}, err
	}
	return queueOutput{e.url(c, q.Name)}, nil
}

func (e *Engine) getQueueAttributes(_ call, in getQueueAttributesInput) (queueAttributes, error) {
	q, err := e.queue(in.QueueUrl)
	if err != nil {
		return queueAttributes{}, err
	}
	all := e.allAttributes(q)
	if slices.Contains(in.AttributeNames, everyAttribute) {
		return queueAttributes{all}, nil
	}
	known := defaults(true)
	wanted := map[string]string{}
	for _, name := range in.AttributeNames {
		if value, ok := all[name]; ok {
			wanted[name] = value
		} else if _, ok := known[name]; !ok && name != redrivePolicy && name != kmsMasterKeyID && name != kmsDataKeyReusePeriod {
			return queueAttributes{}, fail(invalidAttributeName, "Unknown Attribute %s.", name)
		}
	}
	return queueAttributes{wanted}, nil
}

func (e *Engine) allAttributes(q *queue) map[string]string {
	var visible, inflight, delayed int
	now := e.now()
	for _, m := range q.Messages {
		switch {
		case m.inflight(now):
			inflight++
		case m.visible(now):
			visible++
		default:
			delayed++
		}
	}
	all := maps.Clone(q.Attributes)
	all[queueARN] = e.arn(q.Name)
	all[createdTime] = strconv.FormatInt(q.Created.Unix(), 10)
	all[lastModified] = strconv.FormatInt(q.Modified.Unix(), 10)
	all[countVisible] = strconv.Itoa(visible)
	all[countInflight] = strconv.Itoa(inflight)
	all[countDelayed] = strconv.Itoa(delayed)
	return all
}

func (e *Engine) setQueueAttributes(_ call, in setQueueAttributesInput) (empty, error) {
	q, err := e.queue(in.QueueUrl)
	if err != nil {
		return empty{}, err
	}
	if _, ok := in.Attributes[fifoQueue]; ok {
		return empty{}, fail(invalidAttributeName, "Unknown Attribute FifoQueue.")
	}
	merged, err := e.merge(q.Name, q.Attributes, in.Attributes)
	if err != nil {
		return empty{}, err
	}
	changed := *q
	changed.Attributes, changed.Modified = merged, e.now()
	if err := e.persist(note{Queue: &changed}); err != nil {
		return empty{}, err
	}
	*q = changed
	q.wake()
	return empty{}, nil
}

// listQueues pages by name: the token is the last name of the page before.
func (e *Engine) listQueues(c call, in listQueuesInput) (listQueuesOutput, error) {
	most := maxList
	if in.MaxResults != nil {
		most = *in.MaxResults
	}
	after, err := base64.URLEncoding.DecodeString(in.NextToken)
	if err != nil || most < 1 || most > maxList {
		return listQueuesOutput{}, fail(invalidParameter, "MaxResults must be 1 to 1000, and NextToken one we gave.")
	}
	out := listQueuesOutput{QueueUrls: []string{}}
	last := ""
	for _, name := range slices.Sorted(maps.Keys(e.queues)) {
		if name <= string(after) || !strings.HasPrefix(name, in.QueueNamePrefix) {
			continue
		}
		if len(out.QueueUrls) == most {
			if in.MaxResults != nil {
				out.NextToken = base64.URLEncoding.EncodeToString([]byte(last))
			}
			break
		}
		out.QueueUrls = append(out.QueueUrls, e.url(c, name))
		last = name
	}
	return out, nil
}

func (e *Engine) deleteQueue(_ call, in queueInput) (empty, error) {
	q, err := e.queue(in.QueueUrl)
	if err != nil {
		return empty{}, err
	}
	now := e.now()
	if err := e.persist(note{Deleted: &deletion{q.Name, now}}); err != nil {
		return empty{}, err
	}
	delete(e.queues, q.Name)
	e.deleted[q.Name] = now
	q.wake()
	return empty{}, nil
}

func (e *Engine) purgeQueue(_ call, in queueInput) (empty, error) {
	q, err := e.queue(in.QueueUrl)
	if err != nil {
		return empty{}, err
	}
	now := e.now()
	if !q.Purged.IsZero() && now.Sub(q.Purged) < purgeRest {
		return empty{}, fail(purgeInProgress, "Only one PurgeQueue operation on %s is allowed every 60 seconds.", q.Name)
	}
	if err := e.persist(note{Purged: &deletion{q.Name, now}}); err != nil {
		return empty{}, err
	}
	q.Messages, q.Purged = nil, now
	q.wake()
	return empty{}, nil
}
