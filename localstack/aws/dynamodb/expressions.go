package dynamodb

import (
	"cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/expr"
)

// expressions holds the parsed expressions of one request. Absent expressions are nil.
type expressions struct {
	update     *expr.Update
	condition  *expr.Condition
	filter     *expr.Condition
	projection *expr.Projection
	terms      []expr.KeyTerm // key conditions of a Query
}

// parse parses the expressions in the service's order. possible lists the parameters that the operation could have.
func (req *request) parse(possible string, isQuery bool) (x expressions, err error) {
	env, err := expr.NewEnv(req.ExpressionAttributeNames, req.ExpressionAttributeValues)
	if err != nil {
		return x, err
	}
	if err = cmp.Or(
		parse(req.UpdateExpression, env, expr.ParseUpdate, &x.update),
		parse(req.ConditionExpression, env, expr.ParseCondition("ConditionExpression"), &x.condition),
		parse(req.FilterExpression, env, expr.ParseCondition("FilterExpression"), &x.filter),
		parse(req.ProjectionExpression, env, expr.ParseProjection, &x.projection),
	); err != nil {
		return x, err
	}
	if isQuery {
		if x.terms, err = req.parseKeyTerms(env); err != nil {
			return x, err
		}
	}
	if x.update == nil && x.condition == nil && x.filter == nil && x.projection == nil &&
		req.KeyConditionExpression == nil {
		return x, env.WithoutExpression(possible)
	}
	return x, env.Unused()
}

func parse[T any](src *string, env *expr.Env, parser func(string, *expr.Env) (*T, error), to **T) (err error) {
	if src != nil {
		*to, err = parser(*src, env)
	}
	return err
}

func (req *request) parseKeyTerms(env *expr.Env) ([]expr.KeyTerm, error) {
	switch {
	case req.KeyConditionExpression != nil && req.KeyConditions != nil:
		return nil, attr.Invalid("Can not use both expression and non-expression parameters in the same request: " +
			"Non-expression parameters: {KeyConditions} Expression parameters: {KeyConditionExpression}")
	case req.KeyConditionExpression != nil:
		return expr.ParseKeyCondition(*req.KeyConditionExpression, env)
	case req.KeyConditions != nil:
		return req.KeyConditions, nil
	}
	return nil,
		attr.Invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
}
