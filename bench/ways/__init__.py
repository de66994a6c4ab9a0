"""Every way by which Python carries a thing or decides about a call, put around a decision of the ranks, and checked."""
