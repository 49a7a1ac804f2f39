"""What a batch has found: its ledger, its gradebook, and how they are shown and exported."""
