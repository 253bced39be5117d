// Where the robot touches the floor: the plane z = 0, its normal pointing up.
#pragma once

#include <memory>
#include <vector>

#include "BulletCollision/CollisionShapes/btConvexShape.h"
#include "BulletCollision/NarrowPhaseCollision/btPersistentManifold.h"
#include "LinearMath/btAlignedObjectArray.h"
#include "LinearMath/btTransform.h"

struct FloorSurface {
	btScalar friction;            // of both sides together
	btScalar breaking_threshold;  // distance beyond which a contact point is dropped
};

// A convex shape of a link and its cached contact points with the floor. The points are those of Bullet's own manifolds, which keep up
// to four from earlier steps as long as they stay close.
class FloorContact {
public:
	FloorContact(int link, std::unique_ptr<btConvexShape> shape, const btTransform& in_link, bool alone, const FloorSurface& surface);

	// Brings the points up to date with the pose of the link.
	void update(const btTransform& link_pose);

	int link() const { return m_link; }
	btPersistentManifold& points() { return m_points; }
	const btPersistentManifold& points() const { return m_points; }

private:
	void add_lowest_point(const btTransform& link_pose, const btTransform& shape_pose);

	btPersistentManifold m_points;
	int m_link;
	std::unique_ptr<btConvexShape> m_shape;
	btTransform m_in_link;
	bool m_alone;  // the link has no other shape and this one sits at its centre of mass
	btScalar m_friction;
	btScalar m_reach;  // no point of the shape is further than this below its origin, and the threshold is counted in
};

// All shapes of a robot, in the order in which Bullet's dispatcher comes to keep them: the last shape of the last link first.
using FloorContacts = std::vector<std::unique_ptr<FloorContact>>;

// Those with contact points, in the order in which Bullet's islands hand them to the solver.
void touching(const FloorContacts& all, btAlignedObjectArray<FloorContact*>& found);
