"""What makes a page relevant: words of a business, predicates of users, classifiers taught by examples."""
