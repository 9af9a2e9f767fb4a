package main

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsscheduler"

	"github.com/cashwrap/cashwrap/functions"
)

const (
	// frequentTick is the shortest interval of a schedule whose failed ticks Lambda repeats. With a shorter interval, the
	// next tick does the work of a failed tick.
	frequentTick = time.Hour
	tickRetries  = 2 // the most that Lambda allows
	// callRetries is the number of retries of a call that does not reach the function. After the last retry, the call goes
	// to the dead-letter queue.
	callRetries = 3
	minEventAge = time.Minute   // AWS's minimum for events of Lambda and of Scheduler
	maxEventAge = 6 * time.Hour // AWS's maximum for events of Lambda
)

// addSchedule lets EventBridge Scheduler invoke the function, with a role that has no other right.
func (p *platform) addSchedule(f function) error {
	expression, err := expressionOf(f.Tick)
	if err != nil {
		return err
	}
	dead := p.addDeadQueue(f.Name + "-dead")
	role := awsiam.NewRole(p.stack, text("RoleSchedule"+pascal(f.Name)), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(text("scheduler.amazonaws.com"), &awsiam.ServicePrincipalOpts{
			Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": p.stack.Account()}}}),
		Description: text("Cashwrap, " + p.Stage + ": invokes " + f.Name),
	})
	allow(role, []string{"lambda:InvokeFunction"}, f.lambda.FunctionArn())
	allow(role, []string{"sqs:SendMessage"}, dead.QueueArn())
	schedule := awsscheduler.NewCfnSchedule(p.stack, text("Schedule"+pascal(f.Name)), &awsscheduler.CfnScheduleProps{
		Name:               text(p.name(f.Name)),
		Description:        text("Cashwrap, " + p.Stage + ": invokes " + f.Name),
		ScheduleExpression: expression.ExpressionString(),
		FlexibleTimeWindow: &awsscheduler.CfnSchedule_FlexibleTimeWindowProperty{Mode: text("OFF")},
		Target: &awsscheduler.CfnSchedule_TargetProperty{
			Arn: f.lambda.FunctionArn(), RoleArn: role.RoleArn(),
			DeadLetterConfig: &awsscheduler.CfnSchedule_DeadLetterConfigProperty{Arn: dead.QueueArn()},
			RetryPolicy: &awsscheduler.CfnSchedule_RetryPolicyProperty{
				MaximumRetryAttempts: number(callRetries), MaximumEventAgeInSeconds: number(ageOf(f.Tick))},
		},
	})
	schedule.Node().AddDependency(role) // and the role's policy, because AWS checks the schedule against the policy
	return nil
}

// expressionOf returns the expression for EventBridge Scheduler, which reads cron expressions in UTC.
func expressionOf(s *functions.Schedule) (awsscheduler.ScheduleExpression, error) {
	switch {
	case s.Every < time.Minute || s.Every%time.Minute != 0:
		return nil, fmt.Errorf("a schedule must be in whole minutes, not every %s", s.Every)
	case !s.Aligned:
		return awsscheduler.ScheduleExpression_Rate(duration(s.Every)), nil
	case time.Hour%s.Every != 0:
		return nil, fmt.Errorf("an aligned schedule must divide an hour, not every %s", s.Every)
	}
	minutes := fmt.Sprintf("0/%d", int(s.Every.Minutes()))
	return awsscheduler.ScheduleExpression_Expression(text("cron("+minutes+" * * * ? *)"), nil), nil
}

func retriesOf(s *functions.Schedule) int {
	if s.Every < frequentTick {
		return 0
	}
	return tickRetries
}

// ageOf returns the maximum age of a call in seconds. AWS drops an older call, because the next call is due.
func ageOf(s *functions.Schedule) int {
	return int(min(max(s.Every, minEventAge), maxEventAge) / time.Second)
}
