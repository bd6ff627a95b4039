"""Every table and figure of the seeds as a runnable experiment."""
