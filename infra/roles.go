package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"

	"github.com/cashwrap/cashwrap/functions"
)

// addRole adds the function's role, with the rights of functions/access.json on this
// table, its indexes and the queues.
func (p *platform) addRole(f functions.Function, log awslogs.LogGroup) awsiam.Role {
	role := awsiam.NewRole(p.stack, text("Role"+pascal(f.Name)), &awsiam.RoleProps{
		AssumedBy:   awsiam.NewServicePrincipal(text("lambda.amazonaws.com"), nil),
		Description: text("Cashwrap, " + p.Stage + ": what " + f.Name + " may do"),
	})
	log.GrantWrite(role)
	// Lambda decrypts the environment by a grant that ends if the role is replaced;
	// this right does not.
	allow(role, []string{"kms:Decrypt"}, p.key.KeyArn())
	access := f.Access()
	if len(access.Items) > 0 {
		allow(role, prefixed("dynamodb:", access.Items), p.table.TableArn())
	}
	for _, index := range access.Queries {
		allow(role, []string{"dynamodb:Query"}, text(*p.table.TableArn()+"/index/"+index))
	}
	for _, q := range access.Sends {
		allow(role, []string{"sqs:SendMessage"}, p.queues[q.Name].QueueArn())
	}
	p.allowSource(role, f)
	return role
}

// allowSource lets Lambda read, with the function's role, the queue or stream that it
// calls the function with.
func (p *platform) allowSource(role awsiam.Role, f functions.Function) {
	switch {
	case f.Queue != nil:
		allow(role, []string{"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"},
			p.queues[f.Queue.From.Name].QueueArn())
	case f.Stream != nil:
		allow(role, []string{"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"},
			p.table.TableStreamArn())
		allow(role, []string{"dynamodb:ListStreams"}, text(*p.table.TableArn()+"/stream/*"))
	}
}

func allow(role awsiam.Role, actions []string, resources ...*string) {
	role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions: jsii.Strings(actions...), Resources: &resources}))
}

func prefixed(prefix string, names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, prefix+name)
	}
	return all
}
